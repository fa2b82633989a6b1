"""How many rows hold a word is counted once for each state of the index."""

from pathlib import Path

from backstory.store import statistics
from backstory.store.history import History, open_history


def put(history: History, id_: int, text: str) -> None:
    history.db.execute("INSERT INTO words (rowid, said) VALUES (?, ?)", (id_, text))


def counts(history: History, *words: str) -> dict[str, int]:
    return statistics.frequencies(history, "word", words, 10)


def test_counts_follow_every_committed_change_of_any_connection(tmp_path: Path) -> None:
    path = str(tmp_path / "history.db")
    ours, other = open_history(path), open_history(path)
    with ours.write("fill"):
        put(ours, 1, "alpha beta")
    assert counts(ours, "alpha", "gamma") == {"alpha": 1, "gamma": 0}
    with other.write("fill"):
        put(other, 2, "alpha gamma")
    assert counts(ours, "alpha", "beta", "gamma") == {"alpha": 2, "beta": 1, "gamma": 1}
    ours.close()
    other.close()


def test_counts_inside_a_write_are_not_remembered(tmp_path: Path) -> None:
    history = open_history(str(tmp_path / "history.db"))
    assert counts(history, "alpha") == {"alpha": 0}
    history.db.execute("BEGIN IMMEDIATE")
    put(history, 1, "alpha")
    assert counts(history, "alpha") == {"alpha": 1}
    history.db.execute("ROLLBACK")
    assert counts(history, "alpha") == {"alpha": 0}
    history.close()


def test_remembered_counts_are_looked_up_no_second_time(tmp_path: Path) -> None:
    history = open_history(str(tmp_path / "history.db"))
    with history.write("fill"):
        put(history, 1, "alpha beta")
    first = counts(history, "alpha", "beta")
    asked: list[str] = []
    history.db.trace_v2(0x01, lambda event: asked.append(event["sql"]))
    assert counts(history, "beta", "alpha") == first
    assert len(asked) == 1
    assert counts(history, "alpha", "delta") == {"alpha": 1, "delta": 0}
    assert len(asked) > 2
    history.close()
