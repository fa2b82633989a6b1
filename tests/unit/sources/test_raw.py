"""Single records read again: what cannot be read is told in words of its own, the file named once."""

from pathlib import Path

import pytest

from backstory.errors import UnreadableSourceError
from backstory.sources import raw


def test_a_log_that_is_gone_is_named_once(tmp_path: Path) -> None:
    gone = tmp_path / "gone.jsonl"
    with pytest.raises(UnreadableSourceError) as caught:
        raw.read(str(gone), {0: (0, 10)})
    assert caught.value.reason == "No such file or directory"


def test_a_damaged_frame_is_told(tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl.zst"
    torn.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 40)
    with pytest.raises(UnreadableSourceError, match="zstd"):
        raw.read(str(torn), {0: (0, 10)})


def test_records_past_the_end_are_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"0123456789")
    assert raw.read(str(log), {0: (2, 3), 1: (8, 5)}) == {0: b"234"}
