"""What is promised of requests that make no sense, of logs that contradict themselves, and of how new an answer is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from backstory.engine.query import mounts
from backstory.errors import (
    BackstoryError,
    InvalidCursorError,
    InvalidFilterError,
    InvalidLimitError,
    InvalidQueryError,
    InvalidWindowError,
    UnknownEntryError,
    UnknownSessionError,
)
from backstory.records.filters import EntryFilter, SessionFilter
from backstory.records.query import ListEvents, ListSessions, QueryOptions
from tests.contract.query_pins import pins
from tests.fakes.corpus import Corpus, header, lines, user


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path, options=QueryOptions(refresh_ms=0))


def write(corpus: Corpus, id_: str, *events: dict[str, Any]) -> None:
    path = corpus.log(id_)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header(id_) + lines(id_, events), encoding="utf-8")


CALLS: dict[str, Callable[[Corpus], Any]] = {
    "list sessions": lambda corpus: corpus.query.list_sessions().items,
    "list events": lambda corpus: corpus.query.list_events(ListEvents(session="s")).items,
    "read session": lambda corpus: corpus.query.read_session("s").events,
    "read event": lambda corpus: corpus.query.read_event("s", 0, after=9).events,
    "read surface": lambda corpus: corpus.query.read_surface("s").events,
    "read title": lambda corpus: corpus.query.read_title("s").title,
    "trace event": lambda corpus: corpus.query.trace_event("s", 0).session.entries,
    "trace session": lambda corpus: corpus.query.trace_session("s").target.entries,
    "search events": lambda corpus: corpus.events("emu").items,
    "search sessions": lambda corpus: corpus.sessions("emu").items,
}


@pins("fresh")
@pytest.mark.parametrize("name", CALLS)
def test_every_call_sees_what_is_new(corpus: Corpus, name: str) -> None:
    write(corpus, "s", user("emu"))
    first = CALLS[name](corpus)
    assert first
    write(corpus, "s", user("emu that is new"), user("emu emu"))
    assert CALLS[name](corpus) != first


@pins("fresh")
@pytest.mark.parametrize("name", CALLS)
def test_a_writer_does_not_keep_an_answer_back(corpus: Corpus, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "PATIENCE", 10)
    write(corpus, "s", user("emu"))
    first = CALLS[name](corpus)
    write(corpus, "s", user("emu"), user("emu emu"))
    db = apsw.Connection(corpus.path)
    db.execute("BEGIN IMMEDIATE")
    assert CALLS[name](corpus) == first
    told = [one.reason for one in corpus.query.list_sessions().problems]
    assert len(told) == 1
    assert "DATABASE_LOCKED" in told[0]
    db.close()
    assert CALLS[name](corpus) != first or name == "read title"
    assert corpus.query.list_sessions().problems == ()


@pins("damage")
def test_contradicting_operations_are_told_with_the_surface(corpus: Corpus) -> None:
    write(corpus, "s", user("emu"), user("sum", surfaceOp={"op": "replace", "start": 0, "end": 7}), user("on"))
    write(corpus, "t", user("emu"), user("sum", surfaceOp={"op": "replace", "start": 0, "end": 0}), user("on"))
    wrong = corpus.query.read_surface("s")
    assert [one.text for one in wrong.events] == ["sum", "on"]
    assert [(one.path, one.reason.partition(":")[0]) for one in wrong.problems] == [
        (str(corpus.log("s")), "INVALID_SURFACE")
    ]
    assert corpus.query.read_surface("t").problems == ()


WRONG: tuple[tuple[type[BackstoryError], Callable[[Corpus], Any]], ...] = (
    (InvalidLimitError, lambda corpus: corpus.query.list_sessions(ListSessions(limit=1.5))),  # type: ignore[arg-type]
    (InvalidLimitError, lambda corpus: corpus.query.list_events(ListEvents(session="s", limit="2"))),  # type: ignore[arg-type]
    (InvalidLimitError, lambda corpus: corpus.events("emu", limit=True)),
    (InvalidLimitError, lambda corpus: corpus.sessions("emu", limit="x")),
    (InvalidWindowError, lambda corpus: corpus.query.read_event("s", 0, before=1.5)),  # type: ignore[arg-type]
    (InvalidWindowError, lambda corpus: corpus.query.read_event("s", 0, after="1")),  # type: ignore[arg-type]
    (UnknownEntryError, lambda corpus: corpus.query.read_event("s", 0.5)),  # type: ignore[arg-type]
    (UnknownEntryError, lambda corpus: corpus.query.trace_event("s", "0")),  # type: ignore[arg-type]
    (UnknownSessionError, lambda corpus: corpus.query.read_session(5)),  # type: ignore[arg-type]
    (InvalidQueryError, lambda corpus: corpus.events(5)),  # type: ignore[arg-type]
    (InvalidCursorError, lambda corpus: corpus.events("emu", cursor=5)),
    (InvalidFilterError, lambda corpus: corpus.events("emu", filters=(EntryFilter(seq=(0, 9)),) * 201)),
    (InvalidFilterError, lambda corpus: corpus.sessions("emu", session_filters=(SessionFilter(),) * 2_000)),
    (InvalidFilterError, lambda corpus: corpus.events("emu", filters=(EntryFilter(paths=5),))),  # type: ignore[arg-type]
    (InvalidFilterError, lambda corpus: corpus.events("emu", filters=(EntryFilter(kinds="prompt"),))),  # type: ignore[arg-type]
    (InvalidFilterError, lambda corpus: corpus.sessions("emu", session_filters=(SessionFilter(ids=(5,)),))),  # type: ignore[arg-type]
    (InvalidFilterError, lambda corpus: corpus.sessions("emu", session_filters=(SessionFilter(cwds=(object(),)),))),  # type: ignore[arg-type]
)  # fmt: skip


@pins("limits", "filters.invalid")
@pytest.mark.parametrize("at", range(len(WRONG)))
def test_values_of_another_type_have_the_code_of_their_place(corpus: Corpus, at: int) -> None:
    write(corpus, "s", user("emu"))
    kind, call = WRONG[at]
    with pytest.raises(kind):
        call(corpus)


@pins("filters.and-or")
def test_as_many_filters_as_may_be_hold_together(corpus: Corpus) -> None:
    write(corpus, "s", user("emu"), user("emu"))
    assert corpus.seqs("emu", filters=(EntryFilter(seq=(0, 0)),) * 200) == [0]
    assert corpus.ids("emu", session_filters=(SessionFilter(ids=("s",)),) * 200) == ["s"]
