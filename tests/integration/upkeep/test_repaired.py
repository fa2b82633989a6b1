"""What verify mends is as a clean build has it, whatever lies in the file by then."""

import pytest

from backstory.sources.discover import Place
from tests.fakes import logs
from tests.fakes.desk import Desk
from tests.fakes.projection import clean, of_file

TEXTS = ["why did we drop the retry", "because it looped"]
OTHERS = {
    "another agent": logs.pi("p1", TEXTS),
    "a document that no agent writes": b'{"a": 1}\n',
    "nothing": b"",
    "its own agent": logs.claude("c2", TEXTS),
    "a torn line": logs.claude("c1", TEXTS)[:-30],
}


def places(desk: Desk) -> list[Place]:
    return [Place("claude-code", str(desk.claude_folder.parent)), Place("pi", str(desk.pi_folder))]


@pytest.mark.parametrize("written", OTHERS.values(), ids=OTHERS.keys())
def test_a_file_that_holds_something_else_is_read_as_what_it_is(desk: Desk, written: bytes) -> None:
    path = desk.claude("c1", [*TEXTS, "go on"])
    desk.pi("p0", TEXTS)
    desk.ask("index")
    desk.put(path, written)
    assert desk.ask("verify", "--repair")["repaired"] == 1
    desk.ask("index")
    assert of_file(desk.database) == clean(places(desk))


def test_a_session_that_was_forgotten_stays_away(desk: Desk) -> None:
    gone = desk.pi("p1", TEXTS).read_bytes()
    other = desk.pi("p2", TEXTS)
    desk.ask("index")
    desk.ask("forget", "p1")
    desk.put(other, gone)
    assert desk.ask("verify", "--repair")["repaired"] == 0
    desk.ask("index")
    assert desk.ask("sessions")["items"] == []
