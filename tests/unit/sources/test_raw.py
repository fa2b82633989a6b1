"""Single records read again: what cannot be read is told in words of its own, the file named once."""

from pathlib import Path

import pytest
import zstandard

from backstory.errors import UnreadableSourceError
from backstory.sources import raw
from backstory.sources.lines import open_lines


def test_a_log_that_is_gone_is_named_once(tmp_path: Path) -> None:
    gone = tmp_path / "gone.jsonl"
    with pytest.raises(UnreadableSourceError) as caught:
        raw.read(str(gone), {0: (0, 10)})
    assert caught.value.reason == "No such file or directory"


def test_behind_a_damaged_frame_records_lie_where_a_reading_finds_them(tmp_path: Path) -> None:
    log = tmp_path / "torn.jsonl.zst"
    log.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 40 + zstandard.compress(b"{1}\n{22}\n"))
    with log.open("rb") as file:
        places = {at: (line.offset, line.length) for at, line in enumerate(open_lines(file, 0, 0, 0, 10_000))}
    assert raw.read(str(log), places) == {0: b"torn", 1: b"{1}", 2: b"{22}"}


def test_records_past_the_end_are_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"0123456789")
    assert raw.read(str(log), {0: (2, 3), 1: (8, 5)}) == {0: b"234"}
