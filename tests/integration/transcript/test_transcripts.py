"""What planning remembers of a session changes no plan: it is the same with it, without it, and from the log alone."""

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from backstory.engine import transcripts
from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import manifests, plan
from backstory.engine.planning.call import Terms
from backstory.engine.transcript import shelf
from backstory.engine.transcript.showing import Shown
from backstory.errors import UnknownEntryError, UsageError
from backstory.records.message import Message, Text
from backstory.records.planning import ManifestRequest, PlannedMessage, PlanRequest
from tests.fakes.indexed import take_in

SESSIONS = [
    ("pi", "pi/1.6.0/rpc_tree_branch_label_custom_compact2.jsonl", 600),
    ("pi", "pi/1.6.0/context_edit_and_ext_compaction.jsonl", 400),
    ("pi", "pi/1.6.0/abort_steer_followup.jsonl", 700),
    ("pi", "pi/0.84.3/rpc_tree_branch_label_custom_compact2.jsonl", 600),
    ("pi", "pi/0.84.3/truncated_line_then_resumed_orphan.jsonl", 300),
    ("claude-code", "fixtures/claude-code/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl", 100),
    ("claude-code", "fixtures/claude-code/small.jsonl", 300),
    ("codex", "fixtures/codex/small-v0.146.jsonl", 250),
]


LEAVING = Terms(ephemeral=True)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with opened(tmp_path) as made:
        yield made


def opened(home: Path) -> Engine:
    return open_engine(home / "home", env={"HOME": str(home)})


def planned(engine: Engine, request: PlanRequest) -> tuple[PlannedMessage, ...]:
    return plan.plan(engine, request, LEAVING).messages


def indexed(engine: Engine, source: str, path: Path) -> str:
    take_in(engine, path, source)
    [(name,)] = engine.history.rows("SELECT source || ':' || id FROM sessions WHERE origin <> 'subagent'")
    return str(name)


@pytest.mark.parametrize(("source", "file", "budget"), SESSIONS)
def test_plans_of_a_growing_session_do_not_depend_on_what_is_remembered(
    data: Path, tmp_path: Path, engine: Engine, source: str, file: str, budget: int
) -> None:
    lines = (data / file).read_bytes().splitlines(keepends=True)
    path = tmp_path / Path(file).name
    compared = 0
    for count in range(2, len(lines) + 1):
        path.write_bytes(b"".join(lines[:count]))
        if not engine.history.rows("SELECT 1 FROM sessions") and b"{" not in lines[count - 1]:
            continue
        name = indexed(engine, source, path)
        request = PlanRequest(session=name, budget=budget, no_sync=True)
        remembered = planned(engine, request)
        followed = plan.plan_given(engine, request, transcripts.follow(engine, source, str(path)), None, LEAVING)
        with opened(tmp_path) as other:
            assert planned(other, request) == remembered
        assert followed.messages == remembered
        compared += 1
    assert compared > 1


def test_a_folder_that_a_log_names_late_holds_for_all_that_is_quoted(tmp_path: Path, engine: Engine) -> None:
    lines = [line for number in range(40) for line in turn(number)]
    lines += [said(len(lines), "user", "what did value_3 in /work/app/part_3.py do, and value_4 and value_5?")]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    request = PlanRequest(session=indexed(engine, "claude-code", path), budget=2_000, no_sync=True)
    before = planned(engine, request)
    assert {"card", "excerpt"} <= {message.kind for message in before}
    assert "in /work/app/part_" in quoted(before)
    plan.plan(engine, request)
    follow = (engine, "claude-code", str(path))
    assert plan.plan_given(engine, request, transcripts.follow(*follow), None, LEAVING).messages == before
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(said(81, "assistant", "let me see") | {"cwd": "/work/app"}) + "\n")
        file.write(json.dumps(said(82, "user", "and value_6?")) + "\n")
    indexed(engine, "claude-code", path)
    after = planned(engine, request)
    assert "/work/app" not in quoted(after)
    assert "in part_" in quoted(after)
    assert plan.plan_given(engine, request, transcripts.follow(*follow), None, LEAVING).messages == after
    with opened(tmp_path) as other:
        assert planned(other, request) == after


def test_card_and_excerpts_are_kept_for_as_long_as_they_would_be_the_same(tmp_path: Path, engine: Engine) -> None:
    lines = [line for number in range(40) for line in turn(number)]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    name = indexed(engine, "claude-code", path)
    request = PlanRequest(session=name, budget=2_000, no_sync=True, request="what did value_3 do?", cache="steady")
    made: list[tuple[object, object]] = []
    says = ("go on", "look at value_{} again", "well, see /work/app/part_{}.py", "fine", "and so on " * 20)
    for number in range(25):
        lines.append(said(80 + number, "assistant" if number % 2 else "user", says[number % 5].format(24 - number)))
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        indexed(engine, "claude-code", path)
        now = planned(engine, request)
        with opened(tmp_path) as other:
            assert planned(other, request) == now
        known = transcripts.named(engine, name).quoted.remembered
        assert known is not None
        made.append((known.drafts.card, known.drafts.excerpts))
    kept = sum(one[0] is before[0] and one[1] is before[1] for before, one in pairwise(made))
    assert 3 < kept < 22


def turn(number: int) -> list[dict[str, object]]:
    asked = said(2 * number, "user", f"please see /work/app/part_{number}.py; is value_{number} used there?")
    return [
        asked,
        said(2 * number + 1, "assistant", f"value_{number} is 'x{number}', used in /work/app/part_{number}.py"),
    ]


def said(number: int, role: str, what: str) -> dict[str, object]:
    return {
        "type": role,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": "s",
        "timestamp": "2026-01-01T00:00:00Z",
        "message": {"role": role, "content": [text(what)]},
    }


def quoted(messages: tuple[PlannedMessage, ...]) -> str:
    return "".join(str(message.content) for message in messages if message.entry_id is None)


def test_a_session_that_was_rewritten_is_planned_anew(data: Path, tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "session.jsonl"
    text = (data / "pi/1.6.0/abort_steer_followup.jsonl").read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    request = PlanRequest(session=indexed(engine, "pi", path), budget=20_000, no_sync=True)
    before = planned(engine, request)
    followed = transcripts.follow(engine, "pi", str(path))
    [line] = [line for line in text.splitlines() if '"role":"user"' in line and '"id":"' in line][:1]
    record = json.loads(line)
    record["message"]["content"] = [{"type": "text", "text": "something else entirely"}]
    path.write_text(text.replace(line, json.dumps(record, separators=(",", ":"))), encoding="utf-8")
    indexed(engine, "pi", path)
    after = planned(engine, request)
    assert "something else entirely" in str(after)
    assert "something else entirely" not in str(before)
    again = transcripts.follow(engine, "pi", str(path))
    assert again is not followed
    assert plan.plan_given(engine, request, again, None, LEAVING).messages == after


def test_a_log_that_was_out_of_reach_is_read_again(data: Path, tmp_path: Path, engine: Engine) -> None:
    path, away = tmp_path / "session.jsonl", tmp_path / "elsewhere"
    path.write_bytes((data / "pi/1.6.0/abort_steer_followup.jsonl").read_bytes())
    request = PlanRequest(session=indexed(engine, "pi", path), budget=20_000, no_sync=True)
    path.rename(away)
    without = plan.plan(engine, request, LEAVING)
    assert without.problems
    assert not without.messages
    away.rename(path)
    again = plan.plan(engine, request, LEAVING)
    assert not again.problems
    with opened(tmp_path) as other:
        assert again.messages == planned(other, request) != ()


def test_a_host_is_told_what_became_of_each_of_its_messages(data: Path, engine: Engine) -> None:
    transcript = transcripts.follow(engine, "pi", str(data / "pi/1.6.0/abort_steer_followup.jsonl"))
    transcript.reach(transcript.active())
    ids = [str(transcript.entries[at].entry_id) for at in transcript.reached.seen]
    extra = Message("user", (Text("a note from another extension"),))
    shown: list[Shown] = [*ids[:-2], extra, (ids[-2], Message("user", (Text("changed on the way"),))), ids[-1]]
    request = PlanRequest(session="pi:any", budget=20_000, no_sync=True)
    answer = plan.plan_given(engine, request, transcript, shown, LEAVING)
    kept = [at for at in answer.positions if at is not None]
    assert kept == sorted(set(kept))
    assert len(ids) - 2 in kept
    sent = dict(zip(answer.positions, answer.messages, strict=True))
    assert sent[len(ids) - 2].content == [{"type": "text", "text": "a note from another extension"}]
    assert sent[len(ids) - 1].content == [{"type": "text", "text": "changed on the way"}]
    assert not any(answer.changed)
    [manifest] = engine.unsaved.listed(None)
    assert manifest.id == answer.manifest
    assert manifest.estimated_input == sum(message.tokens for message in answer.messages)
    with pytest.raises(UnknownEntryError):
        plan.plan_given(engine, request, transcript, ["no such entry"], LEAVING)


def test_a_request_that_stands_in_no_log_is_one_to_insert_and_what_is_kept_can_wait(data: Path, engine: Engine) -> None:
    path = data / "pi/1.6.0/abort_steer_followup.jsonl"
    request = PlanRequest(session=indexed(engine, "pi", path), budget=20_000, no_sync=True, request="and now?")
    left: list[Callable[[], object]] = []
    session = transcripts.named(engine, request.session)
    answer = plan.plan_given(engine, request, session, later=left.append)
    assert answer.messages == planned(engine, request)
    assert answer.positions.index(None) == len(answer.messages) - 1
    assert not answer.changed[-1]
    with pytest.raises(UsageError):
        manifests.show(engine, ManifestRequest(manifest=answer.manifest))
    [job] = left
    job()
    assert manifests.show(engine, ManifestRequest(manifest=answer.manifest)).id == answer.manifest


def test_a_large_result_is_told_as_changed(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "s.jsonl"
    rows = [
        {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w"},
        entry("a1", None, {"role": "user", "content": "read the log"}),
        entry("a2", "a1", {"role": "assistant", "content": [call("c1")], "provider": "p", "model": "m"}),
        entry("a3", "a2", {"role": "toolResult", "toolCallId": "c1", "content": [text("x" * 20_000)]}),
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    transcript = transcripts.follow(engine, "pi", str(path))
    request = PlanRequest(session="pi:s1", budget=20_000, no_sync=True)
    answer = plan.plan_given(engine, request, transcript, ["a1", "a2", "a3"], LEAVING)
    assert answer.positions == (0, 1, 2)
    assert answer.changed == (False, False, True)


def entry(id_: str, parent: str | None, message: dict[str, object]) -> dict[str, object]:
    return {"type": "message", "id": id_, "parentId": parent, "timestamp": "2026-01-01T00:00:01Z", "message": message}


def call(id_: str) -> dict[str, object]:
    return {"type": "toolCall", "id": id_, "name": "read", "arguments": {"path": "a.log"}}


def text(text_: str) -> dict[str, object]:
    return {"type": "text", "text": text_}


def test_only_the_sessions_used_last_are_remembered(
    data: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "MOST", 2)
    files = [
        str(data / "pi/1.6.0" / f"{name}.jsonl") for name in ("mcp_direct", "rpc_fork_2_clone", "abort_steer_followup")
    ]
    first, second, third = (transcripts.follow(engine, "pi", file) for file in files)
    assert transcripts.follow(engine, "pi", files[2]) is third
    assert transcripts.follow(engine, "pi", files[1]) is second
    assert transcripts.follow(engine, "pi", files[0]) is not first
