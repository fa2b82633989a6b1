"""Codex's records in both forms: twins, tools, rollbacks, compactions and forks."""

import json
from pathlib import Path
from typing import Any

from backstory.dialogue import surface
from backstory.records import message as canonical
from backstory.records import node
from backstory.records.session import Draft, Facts, Kind, Op
from backstory.sources.adapters.codex.source import Codex

SAMPLES = Path(__file__).parents[2] / "fixtures" / "sources" / "codex"
NEW = SAMPLES / "rollout-2026-03-02T10-00-00-019a0000-aaaa-7bbb-8ccc-ddddeeeeffff.jsonl"
OLD = SAMPLES / "rollout-2025-06-01T08-00-00-0b0b0b0b-0c0c-4d0d-8e0e-0f0f0f0f0f0f.jsonl"
SOURCE = Codex()


def read(path: Path) -> tuple[list[Draft], Facts]:
    parser = SOURCE.parser(str(path))
    return [draft for raw in path.read_bytes().split(b"\n") if raw for draft in parser.parse(raw)], parser.facts


def line(type_: str, **payload: Any) -> bytes:
    return json.dumps({"timestamp": "2026-01-01T00:00:00Z", "type": type_, "payload": payload}).encode()


def said(role: str, text: str) -> bytes:
    return line("response_item", type="message", role=role, content=[{"type": "input_text", "text": text}])


def texts(drafts: list[Draft], kind: str) -> list[str]:
    return [draft.text for draft in drafts if draft.kind == kind]


def test_what_stands_twice_in_the_file_is_indexed_once() -> None:
    drafts, _ = read(NEW)
    assert texts(drafts, Kind.PROMPT) == [
        "prune the apple trees",
        "now the cherry trees",
        "a text that should be a list",
    ]
    assert [draft.text for draft in drafts].count("Pruned.") == 1


def test_instructions_and_environment_are_boot_text() -> None:
    drafts, _ = read(NEW)
    assert [text[:12] for text in texts(drafts, Kind.BOOT)] == ["# AGENTS.md ", "<environment"]
    assert texts(drafts, Kind.SYSTEM) == [
        "<permissions instructions>Stay inside the orchard.</permissions instructions>"
    ]


def test_calls_and_results_carry_tool_arguments_paths_and_ids() -> None:
    drafts, _ = read(NEW)
    calls = [draft for draft in drafts if draft.kind == Kind.TOOL_CALL]
    assert [(call.tool, call.call_ids, call.paths) for call in calls] == [
        ("shell", ("call-a",), ("apple.py",)),
        ("apply_patch", ("call-b",), ("plum.py",)),
        ("shell", ("call-c",), ()),
    ]
    assert calls[2].text == 'shell\n{"command": not json'
    results = [draft for draft in drafts if draft.kind == Kind.TOOL_RESULT]
    assert [(result.tool, result.text) for result in results] == [
        ("shell", "Done in the orchard"),
        ("apply_patch", "Success"),
    ]
    assert results[1].chars == len("Success") + 4800


def test_a_fork_is_the_session_its_file_names() -> None:
    _, facts = read(NEW)
    assert (facts.id, facts.origin) == ("019a0000-aaaa-7bbb-8ccc-ddddeeeeffff", "fork")
    assert facts.parent == "019a0000-1111-7bbb-8ccc-ddddeeeeffff"
    assert (facts.cwd, facts.version, facts.models) == ("/home/ada/orchard", "0.98.0", ["gpt-5.3-codex"])


def test_a_subagent_names_the_thread_that_started_it() -> None:
    parser = SOURCE.parser("/p/rollout-x.jsonl")
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "boss", "depth": 1}}}
    assert parser.parse(line("session_meta", id="me", cwd="/w", source=source)) == ()
    assert (parser.facts.id, parser.facts.parent, parser.facts.origin) == ("me", "boss", "subagent")


def test_the_old_form_has_no_times_and_its_folder_only_in_a_text() -> None:
    drafts, facts = read(OLD)
    assert (facts.id, facts.cwd) == ("0b0b0b0b-0c0c-4d0d-8e0e-0f0f0f0f0f0f", "/home/ada/old orchard")
    assert facts.created == 1748764800000
    assert {draft.time for draft in drafts} == {None}
    assert texts(drafts, Kind.PROMPT) == ["count the beehives"]
    assert texts(drafts, Kind.TOOL_CALL) == ["shell\nls\nhives", "local_shell\nexec\nwc\n-l\nhives"]
    assert texts(drafts, Kind.TOOL_RESULT) == ["one\ntwo\n"]


def test_rolled_back_turns_give_way() -> None:
    parser = SOURCE.parser("/p/rollout-x.jsonl")
    rows = [said("user", "one"), said("assistant", "1"), said("user", "two"), said("assistant", "2")]
    rows += [line("event_msg", type="thread_rolled_back", num_turns=1), said("user", "three")]
    drafts = [draft for raw in rows for draft in parser.parse(raw)]
    assert (drafts[4].op, drafts[4].target) == (Op.REPLACE, "2-3")
    nodes = [node.of(draft, seq) for seq, draft in enumerate(drafts)]
    found = surface.fold(nodes, shape="line", rules="codex", strict=True)
    assert [str(each) for each in found] == ["current", "current", "shadowed", "shadowed", "log-only", "current"]


def test_a_compaction_is_a_summary_and_its_history_is_not_indexed_again() -> None:
    drafts, _ = read(NEW)
    (compacted,) = [draft for draft in drafts if draft.op == Op.COMPACT]
    assert (compacted.kind, compacted.text, compacted.visible) == (Kind.SUMMARY, "Apples are pruned.", True)
    assert compacted.chars == len("prune the apple trees") + len("Apples are pruned.")


def test_events_without_a_twin_are_kept() -> None:
    drafts, _ = read(NEW)
    assert texts(drafts, Kind.ERROR) == ["turn aborted: interrupted", "stream disconnected"]
    assert texts(drafts, Kind.MODEL) == ["gpt-5.3-codex"]
    parser = SOURCE.parser("/p/rollout-x.jsonl")
    (named,) = parser.parse(line("event_msg", type="thread_name_updated", thread_name="Pruning"))
    assert (named.kind, named.text, parser.facts.title) == (Kind.TITLE, "Pruning", "Pruning")


def test_a_message_keeps_every_block() -> None:
    messages = [message for raw in NEW.read_bytes().split(b"\n") if raw and (message := SOURCE.message(raw))]
    blocks = [block for message in messages for block in message.blocks]
    assert canonical.Thinking("hidden-thought about apples") in blocks
    assert canonical.Image("image/png", 96) in blocks
    assert canonical.ToolResult("call-a", "Done in the orchard") in blocks
    assert canonical.ToolResult("call-b", "Success\n[image]", images=1) in blocks
    assert canonical.ToolCall("call-c", "shell", '{"command": not json') in blocks


def test_a_session_is_named_by_its_file_until_the_header_comes() -> None:
    assert SOURCE.parser("/p/rollout-2026-01-01T00-00-00-019a0000-aaaa-7bbb-8ccc-ddddeeeeffff.jsonl.zst").facts.id == (
        "019a0000-aaaa-7bbb-8ccc-ddddeeeeffff"
    )
