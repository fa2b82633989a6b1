"""What our own tools repeat of a history is no part of that history: it never stands in for what was said."""

from pathlib import Path

import pytest

from backstory.engine.host.tools.offered import OFFERS
from backstory.engine.planning import plan
from backstory.records.planning import PlanRequest
from backstory.records.tool_names import OWN_TOOLS
from tests.fakes.indexed import indexed
from tests.fakes.pi_log import SESSION, PiLog, texts

NAME = "ZEBRAFISH_QUARTZ"


def test_all_tools_that_a_model_is_offered_are_known_as_ours() -> None:
    assert {offer.tool.name for offer in OFFERS} == OWN_TOOLS


@pytest.mark.parametrize("tool", sorted(OWN_TOOLS))
def test_neither_that_it_was_asked_nor_its_answer_is_quoted(tmp_path: Path, tool: str) -> None:
    log = PiLog()
    log.say("user", {"type": "text", "text": f"the codename of the customer is `{NAME}`"})
    log.turn(0)
    call = {"type": "toolCall", "id": "own", "name": tool, "arguments": {"query": f"{NAME} customer codename asked"}}
    log.say("user", {"type": "text", "text": "what did we say?"})
    log.say("assistant", call)
    repeated = {"type": "text", "text": f"answered: the codename of the customer is `{NAME}` in src/{NAME}.py"}
    log.say("toolResult", repeated, toolCallId="own", toolName=tool, isError=False)
    log.say("assistant", {"type": "text", "text": f"so it is {NAME}"}, {**call, "id": "again", "arguments": {}})
    log.say("toolResult", {"type": "text", "text": "nothing"}, toolCallId="again", toolName=tool, isError=False)
    for number in range(1, 30):
        log.turn(number, 2_000)
    log.write(tmp_path / "logs")
    with indexed(tmp_path / "data", tmp_path / "logs") as engine:
        asked = PlanRequest(session=SESSION, budget=12_000, request=f"tell me the customer codename {NAME}")
        sent = texts(plan.plan(engine, asked))
    assert f"the codename of the customer is `{NAME}`" in sent
    assert f"so it is {NAME}" in sent
    for echo in ("codename asked", "answered:", f"src/{NAME}.py"):
        assert echo not in sent
