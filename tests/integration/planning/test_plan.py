"""Plans over real files: a session in Pi's format is indexed, planned, explained, planned again and remembered for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.engine.artifacts import kept as artifacts
from backstory.engine.memory import commands
from backstory.engine.memory import state as memory_state
from backstory.engine.open import Engine
from backstory.engine.planning import manifests, plan
from backstory.engine.planning.call import Terms
from backstory.engine.project import access
from backstory.errors import UsageError
from backstory.plan import planner
from backstory.plan.sound import Judged
from backstory.records.artifact import ArtifactRequest, ArtifactSearchRequest, ArtifactVerifyRequest
from backstory.records.budget import Usage
from backstory.records.config import Config
from backstory.records.memory_requests import (
    KeptRequest,
    MemoryAddRequest,
    MemorySupersedeRequest,
    PinRequest,
    UnpinRequest,
)
from backstory.records.plan import Plan, PlanInput
from backstory.records.planning import (
    DiffRequest,
    ManifestRequest,
    ManifestsRequest,
    Planned,
    PlanRequest,
    ReplayRequest,
)
from backstory.records.privacy import Policy
from backstory.records.settings import Loaded
from backstory.store import manifests as stored
from backstory.store import working_sets
from tests.fakes.indexed import indexed, take_in
from tests.fakes.pi_log import SESSION, PiLog, texts

PRIVATE = Terms(Loaded(Config(privacy=Policy(enabled=True))))


@pytest.fixture
def log() -> PiLog:
    made = PiLog()
    for number in range(30):
        made.turn(number)
    made.say("user", {"type": "text", "text": "where is handlerNumber3 called?"})
    return made


@pytest.fixture
def engine(tmp_path: Path, log: PiLog) -> Iterator[Engine]:
    log.write(tmp_path / "logs")
    with indexed(tmp_path / "home", tmp_path / "logs") as opened:
        yield opened


def planned(engine: Engine, **more: Any) -> Planned:
    return plan.plan(engine, PlanRequest(session=SESSION, no_sync=True, **more))


def test_a_plan_fits_its_budget_and_holds_the_request(engine: Engine) -> None:
    answer = planned(engine, budget=2_000)
    assert sum(message.tokens for message in answer.messages) <= 2_000
    assert answer.messages[-1].content == [{"type": "text", "text": "where is handlerNumber3 called?"}]
    assert answer.manifest.planning.mode == "managed"
    assert answer.manifest.warnings == ()


def test_older_names_come_back_on_the_card_and_in_quotations(engine: Engine) -> None:
    answer = planned(engine, budget=2_000)
    kinds = {message.kind for message in answer.messages}
    assert {"card", "excerpt"} <= kinds
    native = [message for message in answer.messages if message.entry_id is not None]
    assert not any("handlerNumber3 " in str(message.content) for message in native[:-1])
    synthetic = [message for message in answer.messages if message.entry_id is None]
    assert any("handlerNumber3" in str(message.content) for message in synthetic)


def test_calls_and_results_stay_together_although_their_id_is_used_again(engine: Engine) -> None:
    answer = planned(engine, budget=1_500)
    kinds = [block["type"] for message in answer.messages for block in message.content if "tool" in block["type"]]
    assert kinds == ["tool_call", "tool_result"] * (len(kinds) // 2)
    assert kinds


def test_everything_is_sent_when_everything_fits(engine: Engine) -> None:
    answer = planned(engine, window=1_000_000)
    assert len(answer.messages) == 121
    assert answer.manifest.excluded == ()


def test_the_same_plan_twice_is_the_same(engine: Engine) -> None:
    one, other = planned(engine, budget=2_000), planned(engine, budget=2_000)
    assert msgspec.json.encode(one.messages) == msgspec.json.encode(other.messages)
    assert one.manifest.prompt_hash == other.manifest.prompt_hash


def test_a_past_call_is_planned_as_it_was(engine: Engine) -> None:
    answer = planned(engine, at="00000004", window=1_000_000)
    assert [message.seq for message in answer.messages] == [0, 1, 2]
    assert answer.manifest.call == "00000004"


def test_what_the_user_asks_next_is_the_request(engine: Engine) -> None:
    answer = planned(engine, budget=2_000, request="and handlerNumber5?")
    assert answer.messages[-1].entry_id is None
    assert answer.messages[-1].kind == "current"
    assert "handlerNumber5" in texts(answer)


def test_a_stable_prefix_does_not_change_with_the_request(engine: Engine) -> None:
    answer = planned(engine, budget=2_000, placement="stable-prefix")
    kinds = [message.kind for message in answer.messages]
    assert kinds[0] == "card"
    assert kinds[-1] == "current"


def test_manifests_are_kept_listed_explained_and_compared(engine: Engine) -> None:
    first, second = planned(engine, budget=2_000).manifest, planned(engine, budget=3_000).manifest
    assert [row.id for row in manifests.listed(engine, ManifestsRequest()).items] == [second.id, first.id]
    shown = manifests.show(engine, ManifestRequest(manifest=first.id[:10]))
    assert shown.included == first.included
    words = "\n".join(manifests.explain(engine, ManifestRequest(manifest=first.id)).lines)
    assert "older than the newest turns that fit" in words
    assert " for any model: planned" in words
    assert " for acme/one: planned" in planned(engine, model="acme/one").explanation[0]
    difference = manifests.diff(engine, DiffRequest(first=first.id, second=second.id))
    assert difference.added
    assert difference.tokens == second.estimated_input - first.estimated_input


def test_a_manifest_holds_no_text(engine: Engine) -> None:
    answer = planned(engine, budget=2_000)
    stored = msgspec.json.encode(answer.manifest).decode()
    for word in ("handlerNumber", "filler"):
        assert word in texts(answer)
        assert word not in stored


def test_a_call_is_planned_again_under_another_budget(engine: Engine) -> None:
    first = planned(engine, budget=1_500)
    again = manifests.replay(engine, ReplayRequest(manifest=first.manifest.id, budget=4_000))
    assert len(again.messages) > len(first.messages)
    same = manifests.replay(engine, ReplayRequest(manifest=first.manifest.id, budget=1_500))
    assert same.manifest.prompt_hash == first.manifest.prompt_hash


def test_a_call_planned_again_is_listed_but_is_not_the_last_call_of_its_session(engine: Engine) -> None:
    first = planned(engine, budget=1_500).manifest
    again = manifests.replay(engine, ReplayRequest(manifest=first.id, budget=4_000)).manifest
    assert again.replayed == first.id
    assert [row.id for row in manifests.listed(engine, ManifestsRequest()).items] == [again.id, first.id]
    assert [row.id for row in stored.calls(engine.history, first.session, 9)] == [first.id]
    latest, trace = stored.latest(engine.history, first.session), stored.newest(engine.history, first.session)
    assert latest is not None
    assert trace is not None
    assert (latest.id, len(trace.included)) == (first.id, len(first.included))


def test_pins_and_memories_reach_the_call_as_quoted_data(engine: Engine) -> None:
    commands.add(engine, MemoryAddRequest(session=SESSION, text=("handlerNumber3 is called by cron",)))
    pin = commands.pin(engine, PinRequest(session=SESSION, text=("never touch part_9",), scope="branch"))
    answer = planned(engine, budget=2_000)
    kinds = [message.kind for message in answer.messages if message.entry_id is None]
    assert kinds[:2] == ["pin", "memory"]
    assert "[DS4 PINNED CONTEXT" in texts(answer)
    commands.unpin(engine, UnpinRequest(session=SESSION, pin=pin.item.id[:8]))
    assert "[DS4 PINNED CONTEXT" not in texts(planned(engine, budget=2_000))
    assert commands.pins(engine, KeptRequest(session=SESSION)).items == ()


def test_a_contradiction_must_supersede(engine: Engine) -> None:
    first = commands.add(engine, MemoryAddRequest(session=SESSION, text=("the cache is enabled",)))
    with pytest.raises(UsageError, match="contradicts"):
        commands.add(engine, MemoryAddRequest(session=SESSION, text=("the cache is disabled",)))
    newer = commands.supersede(
        engine, MemorySupersedeRequest(session=SESSION, memory=first.item.id, text=("the cache is disabled",))
    )
    assert newer.item.supersedes == first.item.id
    assert [item.text for item in commands.memories(engine, KeptRequest(session=SESSION)).items] == [
        "the cache is disabled"
    ]


def test_the_same_claim_is_kept_once(engine: Engine) -> None:
    commands.add(engine, MemoryAddRequest(session=SESSION, text=("tests use pytest",)))
    again = commands.add(engine, MemoryAddRequest(session=SESSION, text=(" Tests  use pytest ",)))
    assert not again.written


def test_memory_records_in_the_log_itself_count(tmp_path: Path, log: PiLog) -> None:
    item = {"id": "m", "scope": "session", "claim": "ports start at 7000", "createdAt": 1, "sourceEntryIds": []}
    data = {"schemaVersion": 1, "mutationId": "x", "createdAt": 1, "operation": "add", "item": item}
    log.add("custom", customType="ds4-context-memory-v1", data=data)
    log.write(tmp_path / "logs")
    with indexed(tmp_path / "home", tmp_path / "logs") as engine:
        listed = commands.memories(engine, KeptRequest(session=SESSION))
    assert [kept.text for kept in listed.items] == ["ports start at 7000"]


def test_marked_content_stays_away_from_remote_models(tmp_path: Path, log: PiLog) -> None:
    log.say("assistant", {"type": "text", "text": "the answer"})
    log.say("user", {"type": "text", "text": "note [ds4:local-only]CANARY handlerNumber7[/ds4:local-only] for later"})
    for number in range(40, 60):
        log.turn(number)
    log.write(tmp_path / "logs")
    with indexed(tmp_path / "home", tmp_path / "logs") as engine:
        for budget in (1_500, 100_000):
            request = PlanRequest(session=SESSION, no_sync=True, budget=budget, model="openai/any")
            answer = plan.plan(engine, request, PRIVATE)
            assert "CANARY" not in texts(answer)
        local = PlanRequest(session=SESSION, no_sync=True, budget=100_000, model="ollama/any")
        assert "CANARY" in texts(plan.plan(engine, local, PRIVATE))


def test_a_large_result_stands_as_a_reference_whose_text_can_be_searched(tmp_path: Path, log: PiLog) -> None:
    secret = "sk-" + "proj-Qm4kT9vLx2Zr7Wn5Yb1Ht8"
    log.turn(70, size=40_000)
    body = "start\n" + "row of data\n" * 3_000 + f"ERROR: needle in src/x.py {secret}\n" + "more\n" * 100
    log.say("user", {"type": "text", "text": "run it"})
    log.say("assistant", {"type": "toolCall", "id": "big", "name": "bash", "arguments": {"command": "make"}})
    log.say("toolResult", {"type": "text", "text": body}, toolCallId="big", toolName="bash", isError=True)
    log.write(tmp_path / "logs")
    with indexed(tmp_path / "home", tmp_path / "logs") as engine:
        answer = planned(engine)
        refs = answer.manifest.artifacts
        assert [ref.tool for ref in refs] == ["read", "bash"]
        assert refs[1].condensed_tokens < refs[1].original_tokens
        shown = texts(answer)
        assert "[DS4 LARGE TOOL OUTPUT OFFLOADED]" in shown
        assert "ERROR: needle in src/x.py [redacted:openai]" in shown
        found = artifacts.search(engine, ArtifactSearchRequest(artifact=refs[1].id[:12], text=("NEEDLE",)))
        assert found.total == 1
        whole = artifacts.show(engine, ArtifactRequest(artifact=refs[1].id))
        assert whole.text == body.replace(secret, "[redacted:openai]")
        kept = list((tmp_path / "home" / "derived" / "artifacts").glob("??/*"))
        assert len(kept) == 2
        assert all(path.stat().st_mode & 0o777 == 0o600 for path in kept)
        kept[0].write_bytes(b"other")
        check = artifacts.verify(engine, ArtifactVerifyRequest())
        assert (check.whole, len(check.corrupt), len(check.missing)) == (1, 1, 0)


def test_counted_usage_calibrates_the_next_plan_of_the_same_model_only(engine: Engine) -> None:
    for number in range(3):
        manifest = planned(engine, window=50_000, model="p/m", max_output=4_000, request=f"ask {number}").manifest
        counted = Usage(input=manifest.estimated_input * 3 // 2)
        assert manifests.answered(engine, manifest.id, counted)
        assert not manifests.answered(engine, manifest.id, counted)
    learned = planned(engine, window=50_000, model="p/m", max_output=4_000).manifest
    assert learned.calibration.ratio == pytest.approx(1.5, abs=0.01)
    assert learned.budget.hard < learned.budget.nominal_hard
    assert planned(engine, window=50_000, model="p/other", max_output=4_000).manifest.calibration.ratio == 1.0
    assert manifests.listed(engine, ManifestsRequest(limit=5)).items[-1].actual is not None


def test_a_steady_tail_keeps_its_start_from_call_to_call(engine: Engine) -> None:
    starts = [
        planned(engine, budget=3_000, cache="steady", request="x " * size).messages[0].seq for size in (1, 40, 80)
    ]
    assert len(set(starts)) == 1


def test_a_call_that_holds_more_than_its_limit_is_planned_no_more_often_than_needed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[PlanInput] = []
    once = planner.plan

    def counted(given: PlanInput, judged: Judged | None = None) -> Plan:
        runs.append(given)
        return once(given, judged)

    monkeypatch.setattr(planner, "plan", counted)
    planned(engine, budget=1_000)
    assert len(runs) == 2
    runs.clear()
    planned(engine, budget=100_000)
    assert len(runs) == 2


def test_a_working_set_that_somebody_replaced_is_kept_again(engine: Engine) -> None:
    planned(engine, budget=1_000)
    [(key,)] = engine.history.rows("SELECT key FROM sessions")
    kept = working_sets.covered(engine.history, key)
    assert kept[0] > 0
    working_sets.put(engine.history, key, kept[0], "of something else", b"")
    planned(engine, budget=1_000)
    assert working_sets.covered(engine.history, key) == kept


def test_a_broken_planner_costs_the_plan_and_not_the_call(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(planner, "plan", broken)
    answer = planned(engine)
    assert answer.manifest.planning.mode == "native"
    assert answer.manifest.planning.reason == "planning failed: ZeroDivisionError"
    assert len(answer.messages) == 121


def test_a_broken_part_costs_only_that_part(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("words of the session")

    monkeypatch.setattr(memory_state, "pins", broken)
    answer = planned(engine, budget=2_000)
    assert answer.manifest.warnings == ("memory: ValueError",)
    assert "card" in {message.kind for message in answer.messages}


def test_a_record_that_changed_since_it_was_indexed_is_left_out(engine: Engine, tmp_path: Path) -> None:
    (path,) = (tmp_path / "logs").iterdir()
    path.write_bytes(path.read_bytes().replace(b"handlerNumber29 does nothing", b"handlerNumber29 does harmful"))
    answer = planned(engine)
    assert "harmful" not in texts(answer)
    assert "is not what was indexed" in answer.problems[0].reason


def test_project_memories_of_other_sessions_count_once_trusted_and_asked_for(tmp_path: Path, log: PiLog) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    item = {"id": "m", "scope": "project", "claim": "deploys go through ci", "createdAt": 1, "sourceEntryIds": []}
    other = PiLog()
    for one, name in ((log, SESSION), (other, "other")):
        one.lines[0] |= {"cwd": str(folder), "id": name}
    data = {"schemaVersion": 1, "mutationId": "x", "createdAt": 1, "operation": "add"}
    other.add("custom", customType="ds4-context-memory-v1", data={**data, "item": {**item, "projectPath": str(folder)}})
    log.write(tmp_path / "logs" / "a")
    other.write(tmp_path / "logs" / "b")
    with indexed(tmp_path / "home", tmp_path / "logs") as engine:
        assert commands.memories(engine, KeptRequest(session=SESSION)).items == ()
        access.trust(tmp_path / "home", folder, trusted=True)
        assert commands.memories(engine, KeptRequest(session=SESSION)).items == ()
        (tmp_path / "home" / "config.toml").write_text("[memory]\nacross_sessions = true\n", encoding="utf-8")
        (found,) = commands.memories(engine, KeptRequest(session=SESSION)).items
        assert (found.text, found.session) == ("deploys go through ci", "other")


def test_a_call_without_an_id_is_not_sent(tmp_path: Path, log: PiLog) -> None:
    log.say(
        "assistant", {"type": "text", "text": "looking"}, {"type": "toolCall", "id": "", "name": "x", "arguments": {}}
    )
    log.say("user", {"type": "text", "text": "and?"})
    log.write(tmp_path / "logs")
    with indexed(tmp_path / "home", tmp_path / "logs") as engine:
        blocks = [block for message in planned(engine).messages for block in message.content]
    assert all(block.get("id") != "" for block in blocks)
    assert {"type": "text", "text": "looking"} in blocks


def test_a_call_that_goes_on_from_an_entry_without_an_id_can_be_replayed(tmp_path: Path) -> None:
    said = [("user", "input_text", "fix the flaky test"), ("assistant", "output_text", "it waits for a port")]
    lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": "0199-codex", "cwd": "/x"}}]
    for role, kind, text in said:
        payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        lines.append({"type": "response_item", "payload": payload})
    for line in lines:
        line["timestamp"] = "2026-03-09T08:05:00.000Z"
    (tmp_path / "logs").mkdir()
    log = tmp_path / "logs" / "rollout-2026-03-09T08-05-00-0199-codex.jsonl"
    log.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    with indexed(tmp_path / "home", tmp_path / "logs", "codex") as engine:
        first = plan.plan(engine, PlanRequest(session="0199-codex", no_sync=True))
        assert "waits for a port" in texts(first)
        again = manifests.replay(engine, ReplayRequest(manifest=first.manifest.id))
        assert again.messages == first.messages


def test_a_message_of_which_nothing_is_left_to_send_is_not_sent(engine: Engine, log: PiLog, tmp_path: Path) -> None:
    log.say("assistant", {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"}, stopReason="aborted")
    log.say("user", {"type": "text", "text": "please go on"})
    log.say("assistant", {"type": "text", "text": "word " * 40_000})
    log.write(tmp_path / "logs")
    take_in(engine, tmp_path / "logs")
    answer = planned(engine, budget=2_000)
    assert "where is handlerNumber3 called?" in texts(answer)
    assert [message for message in answer.messages if not message.content] == []
    assert "nothing of it can be sent" in {line.reason for line in answer.manifest.excluded}
