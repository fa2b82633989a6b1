"""What live sessions promise at their edges: cursors after a restart, numbers that do not follow, facts left out."""

import pytest

from backstory.errors import StaleCursorError, UsageError
from backstory.records.filters import SessionFilter
from backstory.records.live import LiveHeader
from backstory.records.query import CursorScope, ListEvents, ListSessions
from tests.contract.query_pins import pins
from tests.fakes.corpus import START, Corpus, user


def raw(seq: int, text: str = "emu", key: str = "seq") -> bytes:
    return f'{{"type":"user/message","{key}":{seq},"data":{{"content":"{text}"}},"surfaceOp":"append"}}'.encode()


@pins("cursor.durable", "live.reopen")
def test_a_durable_cursor_never_goes_on_over_other_live_content(corpus: Corpus) -> None:
    corpus.put("stored", user("emu"), user("emu"))
    durable = CursorScope.DURABLE
    corpus.attach_text("s", "emu", "emu one", "emu two")
    inside = corpus.events("emu", "s", limit=1, cursor_scope=durable).next_cursor
    listed = corpus.query.list_events(ListEvents(session="s", limit=1, cursor_scope=durable)).next_cursor
    wide = corpus.events("emu", limit=1, cursor_scope=durable).next_cursor
    sessions = corpus.query.list_sessions(ListSessions(limit=1, cursor_scope=durable)).next_cursor
    of_stored = corpus.events("emu", "stored", limit=1, cursor_scope=durable).next_cursor
    assert corpus.events("emu", "s", limit=1, cursor=inside, cursor_scope=durable).items
    corpus.reopen()
    corpus.attach_text("s", "emu", "emu other", "emu content")
    for go_on in (
        lambda: corpus.events("emu", "s", limit=1, cursor=inside, cursor_scope=durable),
        lambda: corpus.query.list_events(ListEvents(session="s", limit=1, cursor=listed, cursor_scope=durable)),
        lambda: corpus.events("emu", limit=1, cursor=wide, cursor_scope=durable),
        lambda: corpus.query.list_sessions(ListSessions(limit=1, cursor=sessions, cursor_scope=durable)),
    ):
        with pytest.raises(StaleCursorError):
            go_on()
    assert corpus.events("emu", "stored", limit=1, cursor=of_stored, cursor_scope=durable).items


@pins("cursor.durable", "live.reopen")
def test_a_durable_cursor_survives_live_sessions_that_are_gone(corpus: Corpus) -> None:
    corpus.put("stored", user("emu"), user("emu"))
    corpus.attach_text("s", "other")
    corpus.live.detach("dsh", "s")
    cursor = corpus.events("emu", limit=1, cursor_scope=CursorScope.DURABLE).next_cursor
    corpus.reopen()
    assert corpus.events("emu", limit=1, cursor=cursor, cursor_scope=CursorScope.DURABLE).items


@pins("live.numbers")
def test_a_number_that_does_not_follow_is_refused(corpus: Corpus) -> None:
    corpus.live.attach(LiveHeader("dsh", "s", rules="dsh"), [raw(0)])
    for wrong in ([raw(0)], [raw(1), raw(1)], [raw(2), raw(1)], [raw(0, key="seq0")], [raw(-1)]):
        with pytest.raises(UsageError):
            corpus.live.append("dsh", "s", wrong)
    assert corpus.seqs("emu") == [0]
    assert corpus.live.append("dsh", "s", [raw(3), b'{"type":"user/message","data":{"content":"emu"}}']).next_seq == 5
    assert sorted(corpus.seqs("emu")) == [0, 3, 4]
    with pytest.raises(UsageError):
        corpus.live.attach(LiveHeader("dsh", "t", rules="dsh"), [raw(0), raw(0)])
    assert [one.id for one in corpus.live.attached()] == ["s"]


@pins("live.shadow")
def test_what_a_header_leaves_out_is_as_the_stored_log_tells(corpus: Corpus) -> None:
    corpus.put("s", user("emu"), cwd="/shop", agentPreset="careful")
    corpus.put("fork", user("emu"), parentSession="s", cwd="/shop")
    stored = {one.id: one for one in corpus.query.list_sessions().items}
    for id_ in ("s", "fork"):
        corpus.live.attach(LiveHeader("dsh", id_, rules="dsh"))
    for id_, before in stored.items():
        now = corpus.query.read_session(id_).session
        assert (now.live, now.entries) == (True, 0)
        for name in (
            "cwd",
            "created",
            "updated",
            "title",
            "parent",
            "origin",
            "version",
            "agent_preset",
            "seed_length",
        ):
            assert getattr(now, name) == getattr(before, name), name
    filters = (SessionFilter(cwds=("/shop",), created=(START, START)),)
    assert len(corpus.query.list_sessions(ListSessions(filters=filters)).items) == 2
    corpus.live.attach(LiveHeader("dsh", "new", cwd="/own"))
    assert corpus.query.read_session("new").session.cwd == "/own"
