"""What is known of files is read once for each state of the index, which any connection may change."""

from pathlib import Path

from backstory.records.checkpoint import Stamp
from backstory.store import sessions
from backstory.store.history import History, open_history


def known(history: History) -> dict[str, Stamp]:
    with history.read():
        return {path: one.stamp for path, one in sessions.known_files(history).items()}


def test_what_is_known_follows_every_committed_change_of_any_connection(tmp_path: Path) -> None:
    path = str(tmp_path / "history.db")
    ours, other = open_history(path), open_history(path)
    assert known(ours) == {}
    with ours.write("ignore"):
        sessions.ignore(ours, "/a.jsonl", Stamp(1, 2, 3), 1)
        assert list(sessions.known_files(ours)) == ["/a.jsonl"]
        sessions.ignore(ours, "/b.jsonl", Stamp(1, 2, 3), 1)
        assert list(sessions.known_files(ours)) == ["/a.jsonl", "/b.jsonl"]
    assert list(known(ours)) == ["/a.jsonl", "/b.jsonl"]
    with other.write("ignore"):
        sessions.ignore(other, "/a.jsonl", Stamp(4, 5, 6), 1)
    assert known(ours)["/a.jsonl"] == Stamp(4, 5, 6)
    ours.close()
    other.close()


def test_it_is_read_once_while_nothing_was_written(tmp_path: Path) -> None:
    history = open_history(str(tmp_path / "history.db"))
    assert sessions.known_files(history) is sessions.known_files(history)
    with history.write("ignore"):
        sessions.ignore(history, "/a.jsonl", Stamp(1, 2, 3), 1)
    assert list(sessions.known_files(history)) == ["/a.jsonl"]
    history.close()
