"""A page leaves out what cannot reach it, and is the beginning of the whole order all the same."""

import pytest

from backstory.index.extract import words
from backstory.retrieve import relevance
from backstory.retrieve.candidates import Candidates, completed
from backstory.retrieve.relevance import ranked
from backstory.store.history import History, open_history
from backstory.store.search import NOTHING
from backstory.text.query import parse

ENTRY = """
INSERT INTO entries (id, session, seq, surface, kind, visible, sidechain, chars, size, offset, length, hash)
VALUES (?, 1, ?, 'current', ?, 1, 0, 1, 1, 0, 1, x'00')
"""
SESSION = """
INSERT INTO sessions (key, source, id, root, path, origin, entries, malformed, generation, extraction, facts, tip, size,
                      mtime_ns, inode, checkpoint)
VALUES (1, 'pi', 's', 1, '/s', 'new', 1, 0, 1, 1, '{}', '', 1, 1, 1, x'00')
"""
MANY = 260


@pytest.fixture
def history() -> History:
    """Many entries with two words, more or less often; every fifth is a tool result, every twentieth holds a name."""
    found = open_history(":memory:")
    found.db.execute("PRAGMA foreign_keys = OFF")
    found.db.execute(SESSION)
    for at in range(1, MANY + 1):
        tool = at % 5 == 0
        text = " ".join(["alpha beta"] * (1 + at % 7) + ["filler"] * (at % 11) + ["deploy.sh"] * (at % 20 == 0))
        found.db.execute(ENTRY, (at, at, "result" if tool else "answer"))
        found.db.execute("INSERT INTO texts (id, text) VALUES (?, ?)", (at, text))
        sql = "INSERT INTO literal (rowid, said, result) VALUES (?, ?, ?)"
        found.db.execute(sql, (at, *(("", text) if tool else (text, ""))))
        if not tool:
            found.db.execute("INSERT INTO words (rowid, said) VALUES (?, ?)", (at, words(text)))
    return found


@pytest.mark.parametrize(
    "query",
    [
        "alpha beta",
        "alpha deploy.sh",
        "beta filler",
        "deploy.sh",
        '"alpha beta" filler',
        "when alpha meets beta or the filler deploys",
    ],
)
@pytest.mark.parametrize("wanted", [1, 5, 21, 90])
def test_a_page_begins_the_whole_order(history: History, query: str, wanted: int) -> None:
    whole = ranked(history, parse(query), NOTHING, sessions=False)
    page = ranked(history, parse(query), NOTHING, sessions=False, wanted=wanted)
    assert page.entries[:wanted] == whole.entries[:wanted]
    assert (page.truncated, page.warnings) == (whole.truncated, whole.warnings)


@pytest.mark.parametrize(("wanted", "times"), [(5, 0), (190, 1), (None, 1)])
def test_tool_results_are_looked_up_where_they_may_be_shown(
    history: History, monkeypatch: pytest.MonkeyPatch, wanted: int | None, times: int
) -> None:
    asked: list[Candidates] = []

    def watched(of: History, found: Candidates) -> Candidates:
        asked.append(found)
        return completed(of, found)

    monkeypatch.setattr(relevance, "completed", watched)
    ranked(history, parse("alpha beta"), NOTHING, sessions=False, wanted=wanted)
    assert len(asked) == times
