"""Of calls and results of the tool that keeps things only names, states and outcomes go on to a provider."""

import pytest

from backstory.engine.host.persistence import results
from backstory.engine.host.persistence.facts import ItemFacts, KeptFacts
from backstory.privacy.persistence import OMITTED, TOOL, calls, reduced
from backstory.records.message import Message, Text, ToolCall, ToolResult

REVISION = "rev_rbeuD881EuJ6nKVxUR"
ITEM = f"2585ac645eb7f15f8a86788a13129f1d  pin, session, active, normal, revision {REVISION}"

FACTS = ItemFacts(
    id="abc", kind="pin", scope="session", status="active", classification="normal",
    created_at=1, updated_at=2, target_revision=REVISION,
)  # fmt: skip


def call(**arguments: object) -> Message:
    return Message("assistant", (Text("I will"), ToolCall("t1", TOOL, arguments)))


def told(text: str) -> str:
    message = Message("tool", (ToolResult("t1", text),))
    [block] = reduced(message, frozenset(("t1",))).blocks
    assert isinstance(block, ToolResult)
    return block.content


def test_arguments_keep_names_and_choices_only() -> None:
    message = call(
        action="pin_supersede", id="abc", targetRevision=REVISION, content="tulip", classification="normal",
        key="tulip", activeOnly=True, surprise="tulip",
    )  # fmt: skip
    block = reduced(message, ()).blocks[1]
    assert isinstance(block, ToolCall)
    assert block.arguments == {
        "action": "pin_supersede", "id": "abc", "targetRevision": REVISION, "content": OMITTED, "key": OMITTED,
        "classification": "normal", "activeOnly": True, "other": OMITTED,
    }  # fmt: skip
    assert (block.id, block.name) == ("t1", TOOL)


@pytest.mark.parametrize("strange", ["tulip", None, ["tulip"], 5])
def test_malformed_arguments_become_a_note(strange: object) -> None:
    message = Message("assistant", (ToolCall("t1", TOOL, strange),))
    [block] = reduced(message, ()).blocks
    assert isinstance(block, ToolCall)
    assert block.arguments == {"action": OMITTED}


@pytest.mark.parametrize(
    "arguments",
    [{"id": "a tulip"}, {"targetRevision": "tulip"}, {"scope": "tulip"}, {"classification": "tulip"},
     {"action": "Tulip field"}, {"maxResults": "tulip"}],
)  # fmt: skip
def test_what_is_no_name_vanishes(arguments: dict[str, object]) -> None:
    assert "tulip" not in repr(reduced(call(**arguments), ())).lower()


def test_a_list_goes_on_as_it_is_and_previews_go() -> None:
    whole = results.listed("pins_list", [ITEM], [FACTS], truncated=False).text
    assert told(whole) == whole
    found = results.listed("pins_find", [f"{ITEM}\n    the tulip"], [FACTS], truncated=False).text
    assert told(found) == f"ok: 1 found.\n{ITEM}\n{OMITTED}"


def test_outcomes_go_on_without_their_sentences() -> None:
    facts = KeptFacts(
        id="abc", kind="pin", scope="session", status="active", classification="normal", target_revision=REVISION
    )
    done = results.wrote("pin_add", "pin abc (session, active, normal).", facts).text
    assert told(done) == done
    refused = results.refused("pin_add", "stale-target", "about the tulip").text
    assert told(refused) == f"rejected (stale-target):\n{OMITTED}"
    declined = results.refused("pin_add", "declined", "the tulip").text
    assert told(declined) == f"cancelled:\n{OMITTED}"


@pytest.mark.parametrize("text", ["", "tulip", '{"content": "tulip"}', f"tulip\n{ITEM} tulip", "committed: tulip."])
def test_anything_else_vanishes(text: str) -> None:
    assert "tulip" not in told(text)


def test_other_messages_come_back_as_they_are() -> None:
    other = Message("assistant", (ToolCall("t2", "bash", {"content": "x"}), Text("tulip")))
    result = Message("tool", (ToolResult("t2", "tulip"),))
    assert calls([other, None, call(action="pins_list")]) == {"t1"}
    assert reduced(other, {"t1"}) is other
    assert reduced(result, {"t1"}) is result
