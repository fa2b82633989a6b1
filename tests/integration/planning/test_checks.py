"""What was checked of a session is not checked again, and no call shows whether it was."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.engine import context, transcripts
from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.engine.planning import plan
from backstory.engine.planning.call import Terms
from backstory.engine.planning.gate import Gate
from backstory.engine.transcript import messages
from backstory.engine.transcript.session import Transcript
from backstory.engine.transcript.shelf import Shelf
from backstory.privacy import payload
from backstory.privacy.persistence import OMITTED, TOOL
from backstory.privacy.policy import Guard
from backstory.records.config import Config
from backstory.records.message import ToolResult
from backstory.records.planning import Planned, PlannedMessage, PlanRequest
from backstory.records.privacy import Policy
from backstory.records.settings import Loaded
from backstory.text.tokens import Estimator
from tests.fakes.indexed import indexed
from tests.fakes.pi_log import SESSION, PiLog

CANARY = "CANARY-7711"
SECRET = "sk-" + "proj-Qm4kT9vLx2Zr7Wn5Yb1Ht8"
KEPT = f"the vendor is {CANARY}"
PRIVATE = Policy(enabled=True)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    log = PiLog()
    log.say("user", {"type": "text", "text": f"note [ds4:local-only]{CANARY}[/ds4:local-only], and {SECRET}"})
    log.say("assistant", {"type": "toolCall", "id": "k", "name": TOOL, "arguments": {"action": "add", "content": KEPT}})
    log.say("toolResult", {"type": "text", "text": KEPT}, toolCallId="k", toolName=TOOL, isError=False)
    for number in range(12):
        log.turn(number, 13_000 if number == 6 else 400)
    log.say("user", {"type": "text", "text": f"[ds4:internal]and handlerNumber3?[/ds4:internal] {SECRET}"})
    log.write(tmp_path / "logs")
    with indexed(tmp_path / "home", tmp_path / "logs") as opened:
        yield opened


def planned(engine: Engine, policy: Policy = PRIVATE, **more: Any) -> Planned:
    request = PlanRequest(session=SESSION, no_sync=True, **more)
    return plan.plan(engine, request, Terms(Loaded(Config(privacy=policy)), ephemeral=True))


def transcript(engine: Engine) -> Transcript:
    return transcripts.named(engine, SESSION)


def bytes_of(answer: Planned) -> bytes:
    made = answer.manifest
    return msgspec.json.encode((answer.messages, made.privacy, made.composition, made.included, made.excluded))


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is really checked: a word for each message, and for each content that holds more than texts found clean."""
    seen: list[str] = []

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:
            seen.append(name)
            return real(*given)

        return run

    monkeypatch.setattr(Guard, "message", counted("message", Guard.message))
    monkeypatch.setattr("backstory.engine.planning.gate.sanitise", counted("content", payload.sanitise))
    return seen


CALLS: list[tuple[Policy, dict[str, Any]]] = [
    (PRIVATE, {}),
    (PRIVATE, {}),
    (PRIVATE, {"budget": 1_500}),
    (PRIVATE, {"model": "ollama/any"}),
    (PRIVATE, {}),
    (Policy(), {}),
    (Policy(enabled=True, default="internal", remote_default=("normal",)), {}),
    (Policy(enabled=True, redact_secrets=False), {"budget": 4_000}),
    (Policy(enabled=True, remote={"acme": ("normal", "internal", "sensitive")}), {"model": "acme/one"}),
    (PRIVATE, {"budget": 4_000, "request": f"say {SECRET} [ds4:sensitive]{CANARY}[/ds4:sensitive]"}),
    (PRIVATE, {}),
]


def test_answers_are_the_same_whether_or_not_something_was_checked_before(engine: Engine) -> None:
    remembering = [bytes_of(planned(engine, policy, **more)) for policy, more in CALLS]
    for (policy, more), expected in zip(CALLS, remembering, strict=True):
        engine.transcripts = Shelf()
        assert bytes_of(planned(engine, policy, **more)) == expected
    assert len(set(remembering)) == 8


def test_only_what_is_new_is_checked(engine: Engine, checks: list[str]) -> None:
    planned(engine)
    assert checks.count("message") > 40
    assert checks.count("content") > 10
    again = checks.copy()
    checks.clear()
    planned(engine)
    assert 0 < len(checks) < 6 < len(again)
    checks.clear()
    planned(engine, request="one question more")
    assert checks.count("message") <= 4


@pytest.mark.parametrize(
    ("policy", "more"),
    [
        (Policy(enabled=True, remote_default=("normal",)), {}),
        (Policy(enabled=True, redact_secrets=False), {}),
        (PRIVATE, {"model": "ollama/any"}),
    ],
)
def test_another_policy_or_provider_has_everything_checked_again(
    engine: Engine, checks: list[str], policy: Policy, more: dict[str, Any]
) -> None:
    first = planned(engine)
    assert SECRET not in bytes_of(first).decode()
    checks.clear()
    planned(engine, policy, **more)
    assert checks.count("message") > 40
    assert checks.count("content") > 10
    assert bytes_of(planned(engine)) == bytes_of(first)


def test_a_message_and_what_is_left_of_it_are_checked_each_for_itself(engine: Engine) -> None:
    known = transcript(engine)
    result = known.position("00000003")
    assert result is not None

    def shown(keys: list[int]) -> str:
        known.reach(known.active())
        given: Context = context.shown(known, keys, hard=100_000)
        Gate(PRIVATE, "remote", known).context(given)
        [block] = [
            block
            for message in given.messages
            if message is not None
            for block in message.blocks
            if isinstance(block, ToolResult)
        ]
        return block.content

    for _ in range(2):
        assert shown([result]) == KEPT
        assert shown([result - 1, result]) == OMITTED


def test_a_check_that_broke_is_made_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bytes_of(planned(engine))
    engine.transcripts = Shelf()

    def broken(*_: object) -> None:
        raise RuntimeError("a defect")

    with monkeypatch.context() as patched:
        patched.setattr(Guard, "message", broken)
        assert b"handlerNumber3 does nothing" not in bytes_of(planned(engine))
    assert bytes_of(planned(engine)) == whole


def test_contents_that_somebody_changed_are_looked_at_again(engine: Engine) -> None:
    answer = planned(engine)
    last = next(message for message in reversed(answer.messages) if message.role == "assistant")
    last.content[0]["text"] = f"use {SECRET}"
    assert SECRET not in bytes_of(planned(engine)).decode()


def test_what_was_checked_goes_with_the_messages_when_tokens_are_counted_in_another_way(engine: Engine) -> None:
    planned(engine)
    known = transcript(engine)
    assert known.prepared.checked is not None
    messages.read(known, [], Estimator("another", len))
    assert known.prepared.checked is None


def test_a_content_of_clean_texts_is_not_walked_and_one_with_a_tag_anywhere_is(
    engine: Engine, checks: list[str]
) -> None:
    gate = Gate(PRIVATE, "remote", transcript(engine))
    assert gate.quotable("plain words")

    def sent(**block: str) -> PlannedMessage:
        return PlannedMessage("user", "recent", None, None, "", 0, [{"type": "text", "text": "plain words", **block}])

    plain = sent(id="one")
    assert gate.outgoing([plain]) == (plain,)
    assert not checks
    [left] = gate.outgoing([sent(id=f"[ds4:sensitive]{CANARY}[/ds4:sensitive]")])
    [other] = gate.outgoing([sent(text=f"plain words {SECRET}")])
    assert checks == ["content", "content"]
    assert CANARY not in str(left.content)
    assert SECRET not in str(other.content)
