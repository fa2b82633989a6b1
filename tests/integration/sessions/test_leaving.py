"""An index may have been filled under older rules: what newer ones find in it is in no answer all the same."""

from contextlib import closing

import pytest

from backstory.config.paths import history_path
from backstory.store.history import open_history
from tests.fakes.desk import Desk

SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5"
ASKED = (
    ("sessions", "--no-sync"),
    ("show", "s", "--no-sync"),
    ("show", "s", "--entry", "2", "--no-sync"),
    ("search", "wombat", "--no-sync"),
    ("search", "wombat", "--exact", "--no-sync"),
    ("search", "wombat", "--sessions", "--no-sync"),
    ("query", "list-sessions", "--no-sync"),
    ("query", "read-session", "s", "--no-sync"),
    ("query", "list-events", "s", "--no-sync"),
    ("query", "list-events", "s", "--documents", "--no-sync"),
    ("query", "list-events", "s", "--text", "wombat", "--documents", "--no-sync"),
    ("query", "read-event", "s", "2", "--no-sync"),
    ("query", "read-surface", "s", "--no-sync"),
    ("query", "read-titles", "s", "--no-sync"),
    ("query", "trace-event", "s", "2", "--no-sync"),
    ("query", "trace-session", "s", "--no-sync"),
    ("query", "search-sessions", "wombat", "--no-sync"),
    ("query", "search-sessions", "wombat", "--mode", "relevance", "--no-sync"),
    ("query", "search-events", "wombat", "--no-sync"),
    ("query", "search-events", "wombat", "--mode", "relevance", "--no-sync"),
)


@pytest.fixture
def older(desk: Desk) -> Desk:
    """A machine whose index holds a credential in every text, title, folder and name of a tool."""
    desk.pi("s", [f"the wombat ran {number} miles" for number in range(4)])
    desk.ask("index")
    with closing(open_history(history_path(str(desk.data)))) as history, history.write("spoil"):
        history.db.execute("UPDATE texts SET text = text || ?", (f" {SECRET} ",))
        history.db.execute("UPDATE entries SET tool = ?", (SECRET,))
        history.db.execute("UPDATE sessions SET title = ?, cwd = ?", (SECRET, f"/home/{SECRET}"))
    return desk


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_no_answer_has_a_credential(older: Desk, words: tuple[str, ...], form: tuple[str, ...]) -> None:
    answer = older.run(*words, *form)
    assert answer.code == 0, answer.err
    assert SECRET not in answer.out + answer.err
    assert "[redacted:github]" in answer.out
