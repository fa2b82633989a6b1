"""What a host's process remembers between calls, and the work it leaves for quiet moments."""

from pathlib import Path

import pytest

from backstory.engine.host.sessions import MOST_SESSIONS, Given, Sessions
from backstory.engine.host.work import MOST_TRIES, Work
from backstory.engine.open import open_engine
from backstory.engine.transcript.session import Transcript
from backstory.errors import CancelledError, LockedDatabaseError, UsageError
from backstory.records.browsing import SessionRow
from backstory.records.located import Located
from backstory.records.message import Message

GIVEN = Given(b"{}", Message("user", ()))


def test_a_list_goes_on_from_the_last_one() -> None:
    seen = Sessions().of("s")
    assert seen.take(0, ("a:1", "b:2", "c:3")) == ["a:1", "b:2", "c:3"]
    assert seen.take(2, ("d:4",)) == ["a:1", "b:2", "d:4"]
    assert seen.take(3, ()) == ["a:1", "b:2", "d:4"]


def test_what_the_log_did_not_hold_yet_is_looked_for_again() -> None:
    row = SessionRow("pi", "s", None, None, None, None, 0, 0, "main", None, None, missing=False, path="")
    log, seen = Transcript(row, 0, lambda _: ()), Sessions().of("s")
    log.take([Located(0, "prompt", entry_id="a", hash=b"\x11")])
    seen.take(0, ("a:11", "b:22", "c:33", ":44"))
    assert seen.placed(log) == [0, None, None, None]
    log.take([Located(1, "message", entry_id="b", hash=b"\x22"), Located(2, "message", entry_id="c", hash=b"\x99")])
    seen.take(4, ("b:22",))
    assert seen.placed(log) == [0, 1, None, None, 1]


@pytest.mark.parametrize("keep", [-1, 2])
def test_a_list_that_nobody_remembers_is_refused(keep: int) -> None:
    seen = Sessions().of("s")
    seen.take(0, ("a:1",))
    with pytest.raises(UsageError, match="1 messages"):
        seen.take(keep, ("b:2",))


def test_messages_are_forgotten_with_their_place_in_the_list() -> None:
    seen = Sessions().of("s")
    for number in range(100):
        seen.take(0, (f":{number}",))
        seen.learn({0: GIVEN})
    assert len(seen.given) <= 18
    assert "99" in seen.given


def test_sessions_make_room_for_newer_ones() -> None:
    sessions = Sessions()
    sessions.of("first").take(0, ("a:1",))
    for number in range(MOST_SESSIONS - 1):
        sessions.of(str(number))
    assert sessions.of("first").names == ["a:1"]
    for number in range(MOST_SESSIONS):
        sessions.of(str(number))
    assert sessions.of("first").names == []


def test_work_is_done_once_per_name_and_stopped_when_a_call_comes(tmp_path: Path) -> None:
    done: list[str] = []
    with open_engine(tmp_path) as engine:
        work = Work(engine)
        before = engine.cancelled

        def long() -> None:
            if engine.cancelled():
                raise CancelledError("a call came")
            done.append("long")

        work.add("long", lambda: done.append("never"))
        work.add("long", long)
        assert work.run(lambda: True)
        assert done == []
        assert work.run(lambda: False)
        assert done == ["long"]
        assert not work.run(lambda: False)
        assert engine.cancelled is before


def test_work_that_fails_is_told_and_harms_nothing(tmp_path: Path) -> None:
    with open_engine(tmp_path) as engine:
        work = Work(engine)

        def locked() -> None:
            raise LockedDatabaseError("read", 3, 100)

        def wrong() -> None:
            raise RuntimeError("a defect")

        work.add("locked", locked)
        work.add("wrong", wrong)
        assert work.run(lambda: False)
        assert work.run(lambda: False)
        assert engine.failed["wrong"] == "RuntimeError: a defect"
        assert "locked" in engine.failed["locked"]
        work.add("wrong", lambda: None)
        assert work.run(lambda: False)
        assert "wrong" not in engine.failed


def test_work_that_never_gets_done_is_given_up(tmp_path: Path) -> None:
    tries: list[int] = []
    with open_engine(tmp_path) as engine:
        work = Work(engine)

        def stopped() -> None:
            tries.append(1)
            raise CancelledError("again")

        work.add("job", stopped)
        while work.run(lambda: True):
            pass
    assert len(tries) == MOST_TRIES + 1
