"""Claude Code's records, one by one: kinds, the tree, titles, ids and damage."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.records import message as canonical
from backstory.records.budget import Usage
from backstory.records.session import Draft, Facts, Kind, Op
from backstory.sources.adapters.claude_code.source import ClaudeCode

SAMPLES = Path(__file__).parents[2] / "fixtures" / "sources" / "claude-code"
ORCHARD = SAMPLES / "7d3c2f10-1111-4222-8333-944455556666.jsonl"
SOURCE = ClaudeCode()


def read(path: Path) -> tuple[dict[str | None, Draft], list[Draft], Facts]:
    parser = SOURCE.parser(str(path))
    drafts = [draft for raw in path.read_bytes().splitlines() for draft in parser.parse(raw)]
    return {draft.entry_id: draft for draft in drafts}, drafts, parser.facts


def parse(*rows: dict[str, Any], path: str = "/p/s.jsonl") -> tuple[list[Draft], Facts]:
    parser = SOURCE.parser(path)
    return [draft for row in rows for draft in parser.parse(json.dumps(row).encode())], parser.facts


def row(type_: str, **fields: Any) -> dict[str, Any]:
    return {"parentUuid": None, "isSidechain": False, "sessionId": "s", "type": type_, "uuid": "u", **fields}


def test_only_what_a_person_typed_is_a_prompt() -> None:
    _, drafts, _ = read(ORCHARD)
    prompts = [draft.text for draft in drafts if draft.kind == Kind.PROMPT]
    assert prompts == [
        "why do pears ripen early?",
        "use 85 days instead\nThe user rejected this edit.",
        "and check the quinces",
        "half a face \ufffd and\0 a line\u2028break",
        "also the medlars",
    ]


def test_machine_written_rows_are_told_apart() -> None:
    entries, drafts, _ = read(ORCHARD)
    assert entries["u-0"].kind == Kind.BOOT
    assert (entries["u-00"].kind, entries["u-00"].text) == (Kind.COMMAND, "/review the orchard module")
    assert entries["u-4"].kind == Kind.BOOT
    assert (entries["u-5"].kind, entries["u-5"].visible) == (Kind.SUMMARY, True)
    assert (entries["u-6"].kind, entries["u-6"].role) == (Kind.MESSAGE, "user")
    assert (entries["a-5"].kind, entries["a-5"].visible) == (Kind.ERROR, False)
    assert [draft.text for draft in drafts if draft.kind == Kind.LABEL] == [
        "ada/orchard#12 https://example.invalid/ada/orchard/pull/12"
    ]


def test_calls_and_results_carry_tool_arguments_paths_and_ids() -> None:
    entries, _, _ = read(ORCHARD)
    edit, result = entries["a-4"], entries["u-2"]
    assert (edit.kind, edit.tool, edit.call_ids) == (Kind.TOOL_CALL, "Edit", ("t-2",))
    assert edit.text == "Edit\n/home/ada/orchard/rules.py\ndays = 90\ndays = 80"
    assert edit.paths == ("/home/ada/orchard/rules.py",)
    assert (result.kind, result.role, result.tool, result.call_ids) == (Kind.TOOL_RESULT, "tool", "Read", ("t-1",))
    assert (result.text, result.chars) == ("def ripen(): ...", len("def ripen(): ...") + 4800)


def test_a_record_with_text_and_a_call_holds_both() -> None:
    blocks = [
        {"type": "text", "text": "Look."},
        {"type": "tool_use", "id": "t", "name": "Grep", "input": {"pattern": "x"}},
    ]
    (draft,), facts = parse(row("assistant", message={"model": "m", "content": blocks}))
    assert (draft.kind, draft.text, draft.model, facts.models) == (Kind.MESSAGE, "Look.\nGrep\nx", "m", ["m"])


def test_a_compaction_hangs_on_its_logical_parent_and_may_keep_a_tail() -> None:
    entries, _, _ = read(ORCHARD)
    assert (entries["s-1"].op, entries["s-1"].target, entries["s-1"].parent_id) == (Op.COMPACT, None, "a-5")
    kept = {"preservedSegment": {"headUuid": "h", "tailUuid": "t"}}
    (bare, tailed), _ = parse(
        row("system", subtype="compact_boundary"),
        row("system", subtype="compact_boundary", compactMetadata=kept, logicalParentUuid="t"),
    )
    assert (bare.op, bare.target, bare.visible) == (Op.COMPACT, None, False)
    assert (tailed.target, tailed.parent_id) == ("h", "t")


def test_progress_keeps_its_place_in_the_chain() -> None:
    entries, _, _ = read(ORCHARD)
    assert (entries["p-1"].kind, entries["p-1"].parent_id, entries["p-1"].text) == (Kind.STATE, "u-1", "")
    assert entries["a-1"].parent_id == "p-1"


def test_side_threads_are_marked_in_a_main_file_only() -> None:
    entries, _, _ = read(ORCHARD)
    assert entries["c-1"].sidechain
    assert entries["c-1"].kind == Kind.MESSAGE
    path = next(SAMPLES.rglob("agent-*.jsonl"))
    _, drafts, facts = read(path)
    assert facts.id == f"0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/{path.stem}"
    assert (facts.parent, facts.origin) == ("0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f", "subagent")
    assert not any(draft.sidechain for draft in drafts)
    assert not any(draft.kind == Kind.PROMPT for draft in drafts)


def test_a_subagent_file_beside_its_session_is_named_by_its_records() -> None:
    _, facts = parse(row("user", isSidechain=True, message={"content": "go"}), path="/p/agent-1.jsonl")
    assert (facts.id, facts.parent, facts.origin) == ("s/agent-1", "s", "subagent")


def test_a_fork_names_its_parent() -> None:
    _, facts = parse(row("user", message={"content": "go"}, forkedFrom={"sessionId": "old", "messageUuid": "u"}))
    assert (facts.id, facts.parent, facts.origin) == ("s", "old", "fork")


def summary(leaf: str, text: str) -> dict[str, Any]:
    return {"type": "summary", "summary": text, "leafUuid": leaf}


def test_a_summary_is_a_title_only_of_the_session_that_holds_its_leaf() -> None:
    said = row("user", uuid="leaf", message={"content": "first words"})
    _, before = parse(summary("leaf", "Mine"), summary("elsewhere", "Not mine"), said)
    assert before.title == "Mine"
    drafts, after = parse(said, summary("leaf", "Mine"), summary("elsewhere", "Not mine"))
    assert after.title == "Mine"
    assert [draft.text for draft in drafts] == ["first words", "Mine", ""]
    _, foreign = parse(summary("elsewhere", "Not mine"), said)
    assert foreign.title == "first words"


def test_titles_by_a_person_outrank_all_others() -> None:
    titles = [{"type": "custom-title", "customTitle": "By Ada"}, {"type": "ai-title", "aiTitle": "By a model"}]
    _, facts = parse(row("user", message={"content": "hello"}), *titles)
    assert facts.title == "By Ada"
    _, facts = parse(row("user", message={"content": "hello"}), row("user", message={"content": "later"}))
    assert facts.title == "hello"


def test_what_the_parser_remembers_stays_small() -> None:
    calls = [{"type": "tool_use", "id": f"t{at}", "name": "Read", "input": {}} for at in range(1000)]
    rows = [row("assistant", uuid=f"u{at}", message={"content": [call]}) for at, call in enumerate(calls)]
    _, facts = parse(*rows, *[summary(f"x{at}", "Far away") for at in range(100)])
    assert 1_000 < len(msgspec.json.encode(facts.state)) < 20_000


@pytest.mark.parametrize(
    "broken",
    [
        {"message": {"0": "b", "1": "r"}},
        {"message": None},
        {"message": "text"},
        {"message": {"content": [{"type": "text", "text": 3}]}},
        {"message": {"content": ["bare"]}},
        {"message": {"content": 5}},
    ],
)
def test_a_record_of_the_wrong_shape_keeps_its_place_without_text(broken: dict[str, Any]) -> None:
    (draft,), _ = parse(row("user", uuid="u9", **{"parentUuid": "u8", **broken}))
    assert (draft.kind, draft.text, draft.entry_id, draft.parent_id) == (Kind.STATE, "", "u9", "u8")


def test_a_message_keeps_every_block() -> None:
    lines = ORCHARD.read_bytes().splitlines()
    messages = [message for line in lines if (message := SOURCE.message(line))]
    blocks = [block for message in messages for block in message.blocks]
    assert canonical.Thinking("hidden-thought about pears") in blocks
    assert canonical.ToolCall("t-1", "Read", {"file_path": "/home/ada/orchard/pear.py", "limit": 20}) in blocks
    assert canonical.ToolResult("t-1", "def ripen(): ...\n[image]", images=1) in blocks
    assert canonical.ToolResult("t-2", "The user rejected this edit.", error=True) in blocks
    assert canonical.Image("image/png", 96) in blocks
    assert [message.role for message in messages].count("tool") == 1


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {"input_tokens": 3, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 2, "output_tokens": 5},
            Usage(3, 7, 2, 5),
        ),
        ({"input_tokens": 3, "cache_read_input_tokens": None}, Usage(3)),
        ({"input_tokens": 0}, None),
        ("none", None),
    ],
)
def test_counted_tokens_are_read_with_an_answer(usage: Any, expected: Usage | None) -> None:
    said = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": "x"}], "usage": usage}
    found = SOURCE.message(json.dumps({"type": "assistant", "uuid": "1", "message": said}).encode())
    assert found is not None
    assert (found.model, found.usage) == ("m", expected)
