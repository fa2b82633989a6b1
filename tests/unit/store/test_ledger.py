"""The ledger only grows, survives torn lines, and keeps to its owner."""

import stat
import threading
from pathlib import Path

import pytest

from backstory.errors import ReadOnlyDatabaseError, UnreadableSourceError
from backstory.store import ledger
from backstory.store.ledger_tail import since


def test_records_come_back_in_order(tmp_path: Path) -> None:
    ledger.append(tmp_path, {"type": "a", "n": 1})
    ledger.append(tmp_path, {"type": "b", "text": "line\nbreak"})
    ledger.append(tmp_path, {"type": "a", "n": 2})
    assert [record["n"] for record in ledger.read(tmp_path, "a")] == [1, 2]
    assert len(list(ledger.read(tmp_path))) == 3
    assert list(ledger.read(tmp_path / "none")) == []


def test_records_of_a_type_are_those_that_say_so_among_all(tmp_path: Path) -> None:
    written = [
        {"type": kind, "text": text} for kind in ("a-b", "a", "b", "") for text in ("a", '"type":"a-b"', "\n\r", "")
    ]
    for record in written:
        ledger.append(tmp_path, record)
    with Path(ledger.location(tmp_path)).open("ab") as stream:
        stream.write(b'{"type":"a-b","torn":')
    for kind in ("a-b", "a", "b", "c"):
        assert list(ledger.read(tmp_path, kind)) == [record for record in written if record["type"] == kind]


def test_a_torn_tail_is_skipped_and_closed_off(tmp_path: Path) -> None:
    ledger.append(tmp_path, {"type": "a", "n": 1})
    with Path(ledger.location(tmp_path)).open("ab") as stream:
        stream.write(b'{"type": "a", "n":')
    assert [record["n"] for record in ledger.read(tmp_path)] == [1]
    ledger.append(tmp_path, {"type": "a", "n": 2})
    with Path(ledger.location(tmp_path)).open("ab") as stream:
        stream.write(b"[1, 2]\nnull\n\xff\xfe\n")
    ledger.append(tmp_path, {"type": "a", "n": 3})
    assert [record["n"] for record in ledger.read(tmp_path)] == [1, 2, 3]


def test_what_is_made_is_private_and_what_was_there_keeps_its_mode(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    ledger.append(home, {"type": "a"})
    place = Path(ledger.location(home))
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    place.chmod(0o640)
    ledger.append(home, {"type": "a"})
    assert stat.S_IMODE(place.stat().st_mode) == 0o640


def test_an_impossible_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ReadOnlyDatabaseError):
        ledger.append(tmp_path / "file", {"type": "a"})


def test_a_ledger_that_cannot_be_read_is_told_and_none_is_no_problem(tmp_path: Path) -> None:
    assert since(tmp_path, 0, b"") == ([], 0, b"")
    assert since(tmp_path, 9, b"mark") is None
    Path(ledger.location(tmp_path)).mkdir(parents=True)
    with pytest.raises(UnreadableSourceError):
        since(tmp_path, 0, b"")
    with pytest.raises(UnreadableSourceError):
        list(ledger.read(tmp_path))


def test_skipped_lines_are_named_with_their_reason(tmp_path: Path) -> None:
    ledger.append(tmp_path, {"type": "a"})
    with Path(ledger.location(tmp_path)).open("ab") as stream:
        stream.write(b"[1, 2]\n\n" + b"x" * ledger.LONGEST_LINE + b"\n" + b"[" * 5_000 + b"]" * 5_000 + b"\n{")
    found = ledger.damaged(tmp_path)
    no, long, torn = "not a JSON object", "longer than a record may be", "not written to its end"
    assert found == [(2, no), (4, long), (5, no), (6, torn)]
    assert list(ledger.read(tmp_path)) == [{"type": "a"}]
    assert ledger.damaged(tmp_path / "none") == []


def test_one_writer_at_a_time_sees_and_adds(tmp_path: Path) -> None:
    def count() -> None:
        with ledger.writing(tmp_path) as add:
            add({"type": "a", "n": len(list(ledger.read(tmp_path)))})

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [record["n"] for record in ledger.read(tmp_path)] == list(range(8))
