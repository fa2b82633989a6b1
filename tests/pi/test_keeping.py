"""What a person or a model keeps inside Pi goes through Pi's own log, and only with a person's word."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.pi.driver import Person
from tests.pi.sessions import text, texts

Make = Callable[..., Person]
WRITE = [("context_persistence", {"action": "pin_add", "content": "never touch the generated files"})]


def kept(person: Person) -> list[dict[str, Any]]:
    """The custom entries of the session."""
    return [entry for entry in person.entries() if entry["type"] == "custom" and "ds4-context" in entry["customType"]]


@pytest.mark.parametrize("agreed", [True, False])
def test_a_model_keeps_what_a_person_agrees_to(person: Make, agreed: bool) -> None:  # noqa: FBT001
    somebody = person()
    with somebody.open() as pi:
        pi.confirms = agreed
        pi.prompt("please remember never to touch the generated files", [WRITE, "so it is"])
        assert len(pi.asked) == 1
        assert "never touch the generated files" in pi.asked[0]["message"]
        assert len(kept(somebody)) == agreed
        pi.prompt("go on", ["yes"])
    result = text(somebody.talk.messages()[1][-1])
    assert ("committed" in result) == agreed, result
    quoted = [one for one in texts(somebody.talk.messages()[-1]) if "never touch the generated files" in one]
    assert len(quoted) == agreed
    for entry in kept(somebody):
        data = entry["data"]
        assert entry["customType"] == "ds4-context-pin-v1"
        assert (data["schemaVersion"], data["operation"]) == (1, "add")
        assert data["item"]["content"] == "never touch the generated files"


def test_without_a_person_nothing_is_kept(person: Make) -> None:
    somebody = person()
    somebody.run("please remember it", steps=[WRITE, "done"])
    assert kept(somebody) == []
    assert "confirmation-required" in json.dumps(somebody.talk.messages()[1][-1])


def test_a_person_pins_and_unpins(person: Make) -> None:
    somebody = person()
    with somebody.open() as pi:
        pi.prompt("hello", ["there"])
        pi.command("/context pin always answer in verse")
        assert len(kept(somebody)) == 1
        assert "always answer in verse" in pi.command("/context pins")
        pi.prompt("a poem", ["roses"])
        assert any("always answer in verse" in one for one in texts(somebody.talk.messages()[-1]))
        pin = kept(somebody)[0]["data"]["item"]["id"]
        pi.command(f"/context unpin {pin}")
        pi.prompt("prose", ["no roses"])
        assert not any("always answer in verse" in one for one in texts(somebody.talk.messages()[-1]))
    assert [entry["data"]["operation"] for entry in kept(somebody)] == ["add", "status"]


def test_a_model_looks_up_what_was_compacted_away(person: Make) -> None:
    somebody = person()
    with somebody.open() as pi:
        pi.prompt("the password of the staging door is heliotrope", ["noted"])
        for number in range(4):
            pi.prompt(f"filler {number} " + "word " * 1_500, ["more words " * 100])
        pi.do("compact")
        pi.prompt("what was it?", [[("context_history_recall", {"query": "staging door heliotrope"})], "heliotrope"])
    answer = text(somebody.talk.messages()[-1][-1])
    assert "heliotrope" in answer
    assert not any("heliotrope" in one for one in texts(somebody.talk.messages()[-2]))


def test_privacy_is_enforced_on_the_way_out(person: Make) -> None:
    somebody = person()
    somebody.env["BACKSTORY_PRIVACY_ENABLED"] = "true"
    somebody.install()
    with somebody.open() as pi:
        pi.prompt("look: [ds4:local-only]the door code is 4711[/ds4:local-only] and go on", ["fine"])
        assert somebody.talk.requests
        assert "4711" not in json.dumps(somebody.talk.requests)
        assert "go on" in texts(somebody.talk.messages()[-1])[-1]


def test_privacy_that_cannot_be_enforced_stops_the_request(person: Make) -> None:
    somebody = person()
    somebody.env["BACKSTORY_PRIVACY_ENABLED"] = "true"
    somebody.run("hello", steps=["there"])
    before = len(somebody.talk.requests)
    note = somebody.agent / "extensions" / "backstory" / "backstory.json"
    written = json.loads(note.read_text(encoding="utf-8"))
    note.write_text(json.dumps(written | {"python": "/nowhere/python"}), encoding="utf-8")
    somebody.env.pop("BACKSTORY_PRIVACY_ENABLED")
    with somebody.open() as pi:
        pi.do("set_auto_retry", enabled=False)
        pi.prompt("the door code is 4711", ["never"])
    assert "4711" not in json.dumps(somebody.talk.requests[before:])
