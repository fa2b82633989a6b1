"""Filter records and the SQL they become."""

import pytest

from backstory.records.filters import EntryFilter, SessionFilter
from backstory.store.history import open_history
from backstory.store.where import entries_where, sessions_where


@pytest.mark.parametrize(
    ("given", "sql", "args"),
    [
        (EntryFilter(), "", {}),
        (EntryFilter(kinds=("prompt",)), " AND (e.kind IN (:e0))", {"e0": "prompt"}),
        (EntryFilter(kinds=("a", "b"), roles=()), " AND (e.kind IN (:e0, :e1)) AND 0", {"e0": "a", "e1": "b"}),
        (EntryFilter(seq=(3, None)), " AND e.seq >= :e0", {"e0": 3}),
        (EntryFilter(seq=(None, 9)), " AND e.seq <= :e0", {"e0": 9}),
        (EntryFilter(time=(1, 2)), " AND e.time >= :e0 AND e.time <= :e1", {"e0": 1, "e1": 2}),
        (EntryFilter(paths=("50%_a\\b",)), " AND e.paths LIKE :e0 ESCAPE '\\'", {"e0": "%50\\%\\_a\\\\b%"}),
        (
            EntryFilter(tools=("a", "b"), paths=()),
            " AND 0 AND EXISTS (SELECT 1 FROM (VALUES (:e0), (:e1)) WHERE e.tool LIKE column1 ESCAPE '\\')",
            {"e0": "%a%", "e1": "%b%"},
        ),
        (EntryFilter(session=7), " AND (e.session IN (:e0))", {"e0": 7}),
    ],
)
def test_filters_of_entries_become_conditions_with_arguments(
    given: EntryFilter, sql: str, args: dict[str, object]
) -> None:
    clause = entries_where(given)
    assert (clause.sql, clause.args) == (sql, args)


@pytest.mark.parametrize(
    ("given", "sql", "args"),
    [
        (SessionFilter(), "", {}),
        (SessionFilter(sources=("pi", "dsh")), " AND (s.source IN (:s0, :s1))", {"s0": "pi", "s1": "dsh"}),
        (SessionFilter(cwds=("/x", None)), " AND (s.cwd IN (:s0) OR s.cwd IS NULL)", {"s0": "/x"}),
        (SessionFilter(cwds=(None,)), " AND (s.cwd IS NULL)", {}),
        (SessionFilter(ids=()), " AND 0", {}),
        (SessionFilter(projects=("shop",)), " AND s.cwd LIKE :s0 ESCAPE '\\'", {"s0": "%shop%"}),
        (SessionFilter(availability=("missing",)), " AND (s.missing = 1)", {}),
        (SessionFilter(availability=()), " AND 0", {}),
    ],
)
def test_filters_of_sessions_become_conditions_with_arguments(
    given: SessionFilter, sql: str, args: dict[str, object]
) -> None:
    clause = sessions_where(given).clause()
    assert (clause.sql, clause.args) == (sql, args)


def test_conditions_on_the_session_stand_in_one_subquery() -> None:
    clause = entries_where(EntryFilter(roles=("user",)), SessionFilter(sources=("pi",), created=(1, None)))
    inner = "(s.source IN (:s0)) AND s.created >= :s1"
    assert clause.sql == f" AND (e.role IN (:e0)) AND e.session IN (SELECT s.key FROM sessions s WHERE {inner})"  # noqa: S608
    assert clause.args == {"e0": "user", "s0": "pi", "s1": 1}


def test_every_condition_can_be_asked() -> None:
    history = open_history(":memory:")
    entries = EntryFilter(1, (1, 2), (1, 2), ("k",), ("r",), ("s",), ("p", "q"), ("t",) * 2_000)
    sessions = SessionFilter(("i",), ("s",), ("c", None), ("p",), ("main",), ("missing",), (1, 2), ("x", "y"))
    clause = entries_where(entries, sessions)
    assert history.db.execute(f"SELECT 1 FROM entries e WHERE 1{clause.sql}", dict(clause.args)).fetchall() == []  # noqa: S608
    history.close()
