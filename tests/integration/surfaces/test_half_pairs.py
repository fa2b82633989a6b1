"""Half of a surrogate pair, which Python's text can hold and no file of ours: told by an error of ours."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory import open_engine
from backstory.engine import operations
from backstory.engine.open import Engine
from backstory.errors import BackstoryError, InvalidTextError, UnknownSessionError
from backstory.records.live import LiveHeader
from backstory.records.query import ListEvents, ListSessions, SearchEvents, SearchSessions
from backstory.records.session import Draft
from tests.fakes.desk import Desk

HALF = "tie\ud800break"
# What goes on until it is stopped, and what takes nothing that a person wrote.
LEFT_OUT = {"project watch", "rebuild"}


def textual(type_: object) -> bool:
    return "str" in str(type_)


def requests(operation: operations.Operation) -> Iterator[Any]:
    """A request with the half pair in each of its texts in turn, asked of the index as it stands, too."""
    kind = operations.request_type(operation)
    fields = msgspec.structs.fields(kind)
    rest = {one.name: 0 if one.type is int else ("p1",) if "tuple" in str(one.type) else "p1"
            for one in fields if one.required}  # fmt: skip
    for one in fields:
        if textual(one.type):
            filled = {**rest, one.name: (HALF,) if "tuple" in str(one.type) else HALF}
            yield kind(**filled)
            if any(other.name == "no_sync" for other in fields):
                yield kind(**filled, no_sync=True)


@pytest.fixture
def shop(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk.pi("p1", ["why did we drop the retry?", "because it looped"])
    desk.run("index")
    monkeypatch.chdir(tmp_path)
    return desk


@pytest.mark.parametrize(
    "operation", [one for one in operations.OPERATIONS if one.name not in LEFT_OUT], ids=lambda one: one.name
)
def test_no_operation_fails_by_an_error_that_is_not_ours(shop: Desk, operation: operations.Operation) -> None:
    for request in requests(operation):
        with open_engine(shop.data, env=shop.env()) as engine, contextlib.suppress(BackstoryError):
            operations.handler(operation)(engine, request)


@pytest.fixture
def engine(shop: Desk) -> Iterator[Engine]:
    with open_engine(shop.data, env=shop.env()) as engine:
        yield engine


def test_no_session_bears_such_a_name(engine: Engine) -> None:
    query = engine.query
    with pytest.raises(UnknownSessionError):
        query.read_session(HALF)
    with pytest.raises(UnknownSessionError):
        query.list_events(ListEvents(session=HALF))
    with pytest.raises(UnknownSessionError):
        query.search_events(SearchEvents(query="retry", session=HALF))
    [told] = query.read_titles([HALF])
    assert told.error == "SESSION_NOT_FOUND"


def test_a_cursor_with_such_a_text_is_refused(engine: Engine) -> None:
    with pytest.raises(BackstoryError):
        engine.query.list_sessions(ListSessions(cursor=HALF))
    with pytest.raises(BackstoryError):
        engine.query.search_sessions(SearchSessions(query="retry", cursor=HALF))


def test_a_live_event_that_no_table_can_hold_is_refused_before_a_query_meets_it(engine: Engine) -> None:
    header = LiveHeader("pi", "live")
    with pytest.raises(InvalidTextError):
        engine.live.attach(header, [Draft(kind="prompt", text=HALF)])
    with pytest.raises(InvalidTextError):
        engine.live.attach(LiveHeader("pi", "live", cwd=HALF))
    engine.live.attach(header)
    with pytest.raises(InvalidTextError):
        engine.live.append("pi", "live", [Draft(kind="prompt", text="whole"), Draft(kind="prompt", entry_id=HALF)])
    assert engine.query.read_session("live").session.entries == 0
    assert len(engine.query.search_events(SearchEvents(query="retry")).items) == 1
