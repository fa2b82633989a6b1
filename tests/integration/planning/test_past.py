"""Calls of the past: which entry they go on from, whoever wrote the entry they are named by."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.engine import transcripts
from backstory.engine.open import Engine
from backstory.engine.planning import manifests, plan
from backstory.engine.transcript import start
from backstory.errors import UsageError
from backstory.records.planning import Planned, PlanRequest, ReplayRequest
from tests.fakes import logs
from tests.fakes.indexed import indexed, take_in


def result(number: int, call: str) -> dict[str, Any]:
    return logs.pi_entry(number, f"result of {call}", role="toolResult", toolCallId=call, toolName="read")


def calling(number: int, *calls: str) -> dict[str, Any]:
    entry = logs.pi_entry(number, "I read", role="assistant")
    entry["message"]["content"] += [{"type": "toolCall", "id": one, "name": "read", "arguments": {}} for one in calls]
    return entry


RECORDS = [
    logs.pi_header("past"),
    logs.pi_entry(0, "read both files"),
    calling(1, "a", "b"),
    result(2, "a"),
    result(3, "b"),
    logs.pi_entry(4, "this is in them", role="assistant"),
    logs.pi_entry(5, "never mind"),
    logs.pi_entry(6, "now the other one"),
    logs.pi_entry(7, "done", role="assistant"),
    logs.pi_entry(8, "read only one file", parent=0),
    logs.pi_entry(9, "read", role="assistant"),
    logs.pi_entry(10, "and what is next?", parent=7),
]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    logs.write(tmp_path / "logs" / "past.jsonl", logs.lines(RECORDS))
    with indexed(tmp_path / "home", tmp_path / "logs") as opened:
        yield opened


def planned(engine: Engine, at: str) -> Planned:
    return plan.plan(engine, PlanRequest(session="past", at=at, no_sync=True, window=200_000))


@pytest.mark.parametrize(
    ("at", "seen", "answer"),
    [
        (0, [0], 1),
        (1, [0], 1),
        (2, [0, 1, 2, 3], 4),  # the other result of the same answer belongs to the call
        (3, [0, 1, 2, 3], 4),
        (4, [0, 1, 2, 3], 4),
        (5, [0, 1, 2, 3, 4, 5], None),  # asked anew before the model wrote
        (6, [0, 1, 2, 3, 4, 5, 6], 7),
        (7, [0, 1, 2, 3, 4, 5, 6], 7),
        (8, [0, 8], 9),  # on a branch that was left
        (9, [0, 8], 9),
        (10, [0, 1, 2, 3, 4, 5, 6, 7, 10], None),
    ],
)
def test_a_call_is_named_by_what_it_went_on_from_or_by_its_answer(
    engine: Engine, at: int, seen: list[int], answer: int | None
) -> None:
    made = planned(engine, f"e{at:04}")
    assert [message.entry_id for message in made.messages] == [f"e{one:04}" for one in seen]
    assert made.manifest.call == (None if answer is None else f"e{answer:04}")
    assert any(message.kind == "current" for message in made.messages)


def test_every_answer_names_the_same_call_as_what_it_answered(engine: Engine) -> None:
    transcript = transcripts.named(engine, "past")
    answers = [one.entry_id for one in transcript.entries if one.role == "assistant" and one.entry_id]
    assert answers
    for answer in answers:
        leaf, _ = start.past(transcript, answer)
        assert leaf is not None
        before = transcript.entries[leaf]
        assert start.past(transcript, before.entry_id or "") == (leaf, answer)


def test_the_parts_of_one_answer_name_the_call_that_gave_it(tmp_path: Path) -> None:
    """Claude Code writes each block of an answer as a record of its own."""
    calls = [{"type": "tool_use", "id": name, "name": "Read", "input": {"file_path": name}} for name in "ab"]
    results = [{"type": "tool_result", "tool_use_id": name, "content": f"content of {name}"} for name in "ab"]
    said = [
        ("user", {"type": "text", "text": "read both files"}),
        ("assistant", {"type": "text", "text": "I read them"}),
        *(("assistant", call) for call in calls),
        *(("user", one) for one in reversed(results)),
        ("assistant", {"type": "text", "text": "done"}),
    ]
    records = [
        logs.claude_entry("u", number, None, role=role, message={"role": role, "id": "answer", "content": [block]})
        for number, (role, block) in enumerate(said)
    ]
    logs.write(tmp_path / "logs" / "u.jsonl", logs.lines(records))
    with indexed(tmp_path / "home", tmp_path / "logs", source="claude-code") as engine:
        for at in ("u-0", "u-1", "u-2", "u-3"):
            made = plan.plan(engine, PlanRequest(session="u", at=at, no_sync=True, window=200_000))
            assert ([message.entry_id for message in made.messages], made.manifest.call) == (["u-0"], "u-1")
        for at in ("u-4", "u-5", "u-6"):
            made = plan.plan(engine, PlanRequest(session="u", at=at, no_sync=True, window=200_000))
            assert [message.entry_id for message in made.messages] == [f"u-{number}" for number in range(6)]
            assert made.manifest.call == "u-6"


def test_a_real_session_shows_what_it_was_asked(engine: Engine, data: Path) -> None:
    take_in(engine, data / "pi" / "v1-real")
    [(session,)] = engine.history.rows("SELECT source || ':' || id FROM sessions WHERE id <> 'past' LIMIT 1")
    transcript = transcripts.named(engine, str(session))
    asked = [at for at, one in enumerate(transcript.entries) if one.visible and one.role != "assistant"]
    assert asked
    for at in asked:
        leaf, answer = start.past(transcript, str(transcript.entries[at].seq))
        transcript.reach(leaf)
        assert leaf is not None
        assert at in transcript.reached.positions
        assert answer is None or transcript.named(answer) is not None


ASKED: list[dict[str, Any]] = [
    {"budget": 500},
    {"budget": 500, "max_output": 4_000},
    {"window": 32_000, "max_output": 4_000},
    {"window": 32_000, "max_output": 4_000, "model": "acme/one"},
    {"window": 200_000, "fixed": 5_000, "budget": 900},
    {"cache": "steady", "window": 100_000},
    {"at": "e0004", "budget": 600},
    {"leaf": "e0002"},
]


@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_what_is_not_given_stays_as_it_was(engine: Engine, asked: dict[str, Any]) -> None:
    first = plan.plan(engine, PlanRequest(session="past", no_sync=True, **asked)).manifest
    changes: list[dict[str, Any]] = [{}, {"placement": "stable-prefix"}, {"cache": "off"}]
    for changed in changes:
        again = manifests.replay(engine, ReplayRequest(manifest=first.id, **changed)).manifest
        assert again.budget == first.budget
        assert again.asked == first.asked
        assert (again.leaf, again.call) == (first.leaf, first.call)
        assert again.composition.system == first.composition.system
        assert again.composition.message_count == first.composition.message_count


@pytest.mark.parametrize(
    ("changed", "hard"),
    [({"budget": 700}, 700), ({"budget": 700, "max_output": 9}, 700), ({"window": 50_000}, 500)],
)
def test_what_is_given_replaces_what_was(engine: Engine, changed: dict[str, Any], hard: int) -> None:
    first = plan.plan(engine, PlanRequest(session="past", no_sync=True, budget=500)).manifest
    assert manifests.replay(engine, ReplayRequest(manifest=first.id, **changed)).manifest.budget.hard == hard


def test_another_model_brings_its_own_output(engine: Engine) -> None:
    request = PlanRequest(session="past", no_sync=True, model="acme/one", window=40_000, max_output=2_000)
    first = plan.plan(engine, request).manifest
    again = manifests.replay(engine, ReplayRequest(manifest=first.id, model="other/two")).manifest
    assert first.asked.output == 2_000
    assert again.asked.output is None


def test_a_request_of_no_log_has_to_be_given_again(engine: Engine) -> None:
    first = plan.plan(engine, PlanRequest(session="past", no_sync=True, request="and then?", budget=900))
    with pytest.raises(UsageError, match="stands in no log"):
        manifests.replay(engine, ReplayRequest(manifest=first.manifest.id))
    again = manifests.replay(engine, ReplayRequest(manifest=first.manifest.id, request="and then?"))
    assert again.messages == first.messages
    assert again.manifest.prompt_hash == first.manifest.prompt_hash
    without = manifests.replay(engine, ReplayRequest(manifest=first.manifest.id, request=""))
    assert [message.entry_id for message in without.messages] == [one.entry_id for one in first.messages[:-1]]
