"""A pass that is given up keeps what it read, and nothing of a session that it had just begun."""

from collections.abc import Callable
from pathlib import Path

import pytest

from backstory.errors import CancelledError
from backstory.index.look import look
from backstory.index.sync import Sync
from backstory.sources import registry
from backstory.sources.discover import Place
from backstory.store.history import History, open_history
from tests.fakes import logs

LONG = ["words and words " * 2_000] * 300


def given_up_at(call: int) -> Callable[[], bool]:
    """What is asked between steps, and gives up at its n-th call."""
    asked: list[int] = []

    def late() -> bool:
        asked.append(1)
        if len(asked) >= call:
            raise CancelledError("stopped by the caller")
        return False

    return late


def kept(history: History) -> dict[str, int]:
    rows = history.rows(
        "SELECT s.id, count(e.id) FROM sessions s LEFT JOIN entries e ON e.session = s.key GROUP BY s.id"
    )
    return dict(rows)


def index(history: History, folder: Path, late: Callable[[], bool]) -> None:
    seen = look(history, [Place("pi", str(folder))], (".jsonl",))
    Sync(history, [registry.load("pi")], late=late).run(seen)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, texts in enumerate((["one"], ["two", "and a half"], LONG)):
        path = tmp_path / f"s{number}.jsonl"
        logs.write(path, logs.pi(f"s{number}", texts))
    return tmp_path


def test_between_sessions_those_that_were_read_are_kept(folder: Path) -> None:
    history = open_history(":memory:")
    with pytest.raises(CancelledError):
        index(history, folder, given_up_at(2))
    assert kept(history) == {"s0": 1, "s1": 2}


def test_inside_a_session_all_but_that_one_are_kept(folder: Path) -> None:
    history = open_history(":memory:")
    with pytest.raises(CancelledError):
        index(history, folder, given_up_at(4))
    assert kept(history) == {"s0": 1, "s1": 2}
    index(history, folder, lambda: False)
    assert kept(history) == {"s0": 1, "s1": 2, "s2": len(LONG)}


def test_a_session_that_goes_on_keeps_what_was_read_of_it(folder: Path) -> None:
    history = open_history(":memory:")
    index(history, folder, lambda: False)
    with (folder / "s1.jsonl").open("ab") as file:
        file.write(b"".join(logs.line(logs.pi_entry(at, text)) for at, text in enumerate(LONG, 2)))
    with pytest.raises(CancelledError):
        index(history, folder, given_up_at(2))
    assert 2 < kept(history)["s1"] < 2 + len(LONG)
    index(history, folder, lambda: False)
    assert kept(history)["s1"] == 2 + len(LONG)
