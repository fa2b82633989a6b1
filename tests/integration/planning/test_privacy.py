"""What a policy of privacy withholds from a planned call, wherever it stands."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from backstory.engine.memory import commands
from backstory.engine.open import Engine
from backstory.errors import UsageError
from backstory.privacy.policy import UNCHECKED, Guard
from backstory.records.memory import MEMORY_TYPE, PIN_TYPE
from backstory.records.memory_requests import MemoryAddRequest, MemorySupersedeRequest, PinRequest
from backstory.records.planning import Planned
from backstory.records.privacy import LOCKED, Policy
from tests.fakes.pi_log import SESSION, PiLog, texts
from tests.fakes.priced import Priced, over, planned, settings

CANARY = "CANARY-7711"


@pytest.fixture
def marked(tmp_path: Path, log: Priced) -> Iterator[Engine]:
    log.say("assistant", {"type": "text", "text": "the answer"})
    log.say("user", {"type": "text", "text": f"note [ds4:local-only]{CANARY} in src/{CANARY}.py[/ds4:local-only] ok"})
    for number in range(40, 46):
        log.turn(number)
    log.say(
        "assistant", {"type": "toolCall", "id": "x", "name": "bash", "arguments": {"c": f"[ds4:sensitive]{CANARY}"}}
    )
    result = {"type": "text", "text": f"[ds4:local-only] {CANARY} and more"}
    log.say("toolResult", result, toolCallId="x", toolName="bash", isError=False)
    log.say("user", {"type": "text", "text": "what did the note say?"})
    with over(tmp_path, log) as opened:
        yield opened


def everything(answer: Planned) -> str:
    return msgspec.json.encode(answer).decode()


@pytest.mark.parametrize("budget", [1_500, 4_000, None])
def test_what_the_policy_withholds_is_nowhere_in_the_answer(marked: Engine, budget: int | None) -> None:
    private = settings(privacy=Policy(enabled=True))
    asked = f"[ds4:sensitive]tell me about {CANARY}[/ds4:sensitive] please"
    answer = planned(marked, private, budget=budget, request=asked)
    assert CANARY not in everything(answer)
    assert answer.manifest.privacy.stage == "context-and-provider"
    assert answer.manifest.privacy.blocked > 0
    assert "please" in texts(answer)
    before = msgspec.json.encode(answer.messages)
    local = planned(marked, private, budget=budget, request=asked, model="ollama/any")
    assert CANARY in everything(local)
    assert CANARY in everything(planned(marked, settings(), budget=budget, request=asked))
    assert msgspec.json.encode(planned(marked, private, budget=budget, request=asked).messages) == before


def test_marks_in_pins_and_memories_count_although_both_are_quoted(engine: Engine) -> None:
    commands.pin(engine, PinRequest(session=SESSION, text=(f"mind [ds4:sensitive]{CANARY}[/ds4:sensitive]",)))
    commands.pin(engine, PinRequest(session=SESSION, text=("mind the gap",)))
    commands.add(engine, MemoryAddRequest(session=SESSION, text=(f"handlerNumber3 is [ds4:local-only]{CANARY}",)))
    private = settings(privacy=Policy(enabled=True))
    remote = planned(engine, private)
    assert CANARY not in everything(remote)
    assert "mind the gap" in texts(remote)
    assert remote.manifest.privacy.excluded == 2
    assert texts(planned(engine, private, model="ollama/any")).count(CANARY) == 2


@pytest.mark.parametrize("enabled", [False, True])
def test_evidence_has_the_level_of_what_it_quotes_and_no_marks(tmp_path: Path, *, enabled: bool) -> None:
    log = Priced()
    marked = f"[ds4:internal]the codename is {CANARY} in src/canary.py[/ds4:internal]"
    log.say("user", {"type": "text", "text": f"{marked} and more words"})
    log.say("assistant", {"type": "text", "text": "noted"})
    for number in range(30):
        log.turn(number, 2_000)
    log.say("user", {"type": "text", "text": f"what is the codename {CANARY}?"})
    with over(tmp_path, log) as engine:
        answer = planned(engine, settings(privacy=Policy(enabled=enabled)), budget=12_000)
    levels = {line.kind: line.level for line in answer.manifest.included if line.kind in {"excerpt", "retrieval"}}
    assert levels == {"excerpt": "internal", "retrieval": "internal"}
    assert f"the codename is {CANARY}" in texts(answer)
    assert "ds4:internal" not in texts(answer)


@pytest.mark.parametrize("field", ["claim", "key", "content", "sourceFile"])
def test_marks_in_any_field_of_what_another_program_kept_count(tmp_path: Path, log: Priced, field: str) -> None:
    memory = field in {"claim", "key"}
    item = {"id": "a", "scope": "session", "createdAt": 1, "sourceEntryIds": [], "claim": "it is", "content": "mind it"}
    data = {"schemaVersion": 1, "mutationId": "m", "createdAt": 1, "operation": "add"}
    item[field] = f"[ds4:local-only]{CANARY}[/ds4:local-only]"
    log.add("custom", customType=MEMORY_TYPE if memory else PIN_TYPE, data={**data, "item": item})
    with over(tmp_path, log) as engine:
        private = settings(privacy=Policy(enabled=True))
        remote = planned(engine, private)
        assert CANARY not in everything(remote)
        assert remote.manifest.privacy.excluded == 1
        assert CANARY in texts(planned(engine, private, model="ollama/any"))


@pytest.mark.parametrize("text", ["never touch it", '"' * 60, "\u2028" * 9, "x" * 90])
def test_pins_that_were_accepted_are_all_in_the_call(engine: Engine, tmp_path: Path, text: str) -> None:
    (tmp_path / "home" / "config.toml").write_text("[budget]\npins = 700\n", encoding="utf-8")
    made = 0
    with suppress(UsageError):
        while made < 20:
            commands.pin(engine, PinRequest(session=SESSION, text=(f"{made} {text}",), file="src/a.py"))
            made += 1
    answer = planned(engine)
    assert answer.manifest.planning.mode == "managed"
    assert 2 < made < 20
    assert len(answer.manifest.pins) == made


@pytest.mark.parametrize(
    ("claim", "key"),
    [
        ("it is mise", f"[ds4:local-only]{CANARY}[/ds4:local-only]"),
        ("it is mise", f"[ds4:sensitive]{CANARY}"),
        (f"[ds4:sensitive]{CANARY}[/ds4:sensitive] is mise", None),
    ],
)
def test_the_key_of_a_memory_is_as_private_as_what_it_was_made_of(engine: Engine, claim: str, key: str | None) -> None:
    made = commands.add(engine, MemoryAddRequest(session=SESSION, text=(claim,), key=key)).item
    assert made.key == CANARY.lower()
    private = settings(privacy=Policy(enabled=True))
    for text in ("it is make", "it is just"):
        assert CANARY.lower() not in everything(planned(engine, private)).lower()
        assert f'"{CANARY.lower()}"' in texts(planned(engine, private, model="ollama/any"))
        later = MemorySupersedeRequest(session=SESSION, memory=made.id, text=(text,), classification="normal")
        made = commands.supersede(engine, later).item


def test_what_a_local_model_saw_is_not_remembered_for_a_remote_one(marked: Engine) -> None:
    private = settings(privacy=Policy(enabled=True))
    for loaded, model in ((settings(), None), (private, "ollama/any")):
        assert CANARY in everything(planned(marked, loaded, budget=1_500, model=model))
        assert CANARY not in everything(planned(marked, private, budget=1_500))


def test_a_settings_file_with_broken_privacy_withholds_everything(marked: Engine, tmp_path: Path) -> None:
    (tmp_path / "home" / "config.toml").write_text("[privacy]\nenabled = maybe\n", encoding="utf-8")
    answer = planned(marked)
    shown = [block["text"] for message in answer.messages for block in message.content if block["type"] == "text"]
    assert all("excluded by privacy policy" in text for text in shown)
    assert not [message for message in answer.messages if message.entry_id is None]
    assert "handlerNumber" not in everything(answer)
    assert any("until this is mended" in warning for warning in answer.manifest.warnings)


@pytest.mark.parametrize("broken", ["text", "message", "admit"])
def test_when_checking_itself_breaks_nothing_leaves_unchecked(
    marked: Engine, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def raising(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(Guard, broken, raising)
    answer = planned(marked, settings(privacy=Policy(enabled=True)), budget=4_000)
    assert CANARY not in everything(answer)
    native = [block for message in answer.messages if message.entry_id for block in message.content]
    synthetic = [message for message in answer.messages if message.entry_id is None]
    if broken == "admit":
        assert native
    else:
        assert {block.get("text", block.get("content", UNCHECKED)) for block in native} == {UNCHECKED}
    assert bool(synthetic) == (broken == "message")


def test_a_locked_policy_withholds_from_local_models_too(marked: Engine) -> None:
    assert "handlerNumber" not in everything(planned(marked, settings(privacy=LOCKED), model="ollama/any"))


def test_credentials_are_replaced_on_their_way_to_a_remote_model_when_privacy_is_on(tmp_path: Path) -> None:
    secret = "sk-" + "proj-Qm4kT9vLx2Zr7Wn5Yb1Ht8"
    log = PiLog()
    log.say("user", {"type": "text", "text": f"use {secret} for it"})
    with over(tmp_path, log) as engine:
        private = settings(privacy=Policy(enabled=True))
        answer = planned(engine, private)
        assert secret not in everything(answer)
        assert answer.manifest.privacy.secrets == 1
        assert secret in everything(planned(engine, private, model="ollama/any"))
