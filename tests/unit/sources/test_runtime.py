"""Histories of embedding runtimes: canonical messages become drafts and come back."""

import json
from pathlib import Path

import pytest

from backstory.records import message as canonical
from backstory.records.session import Draft, Facts, Kind
from backstory.sources.adapters.runtime import Runtime

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sources" / "runtime" / "history.jsonl"


@pytest.fixture(scope="module")
def history() -> tuple[list[Draft], Facts]:
    parser = Runtime().parser(str(SAMPLE))
    return [draft for raw in SAMPLE.read_bytes().splitlines() for draft in parser.parse(raw)], parser.facts


def test_the_header_binds_session_and_project(history: tuple[list[Draft], Facts]) -> None:
    _, facts = history
    assert (facts.id, facts.cwd, facts.shape, facts.origin) == ("run-1", "/home/ada/shop", "line", "main")
    assert (facts.title, facts.created, facts.models) == ("Where is the coupon checked?", 1764590000000, ["local/tiny"])


def test_each_role_has_its_kind(history: tuple[list[Draft], Facts]) -> None:
    assert [(draft.kind, draft.role, draft.text) for draft in history[0]] == [
        (Kind.SYSTEM, "system", ""),
        (Kind.PROMPT, "user", "Where is the coupon checked?\nsrc/coupon.py"),
        (Kind.TOOL_CALL, "assistant", "grep\ndef check\nsrc"),
        (Kind.TOOL_RESULT, "tool", "grep\nsrc/coupon.py:9: def check(code)"),
        (Kind.MESSAGE, "assistant", "In src/coupon.py, line 9."),
        (Kind.MEMORY, "user", "sha256-77"),
        (Kind.SUMMARY, "user", "Earlier: the coupon check was found."),
        (Kind.STATE, None, ""),
    ]
    assert all(draft.visible for draft in history[0][:-1])


def test_ids_calls_and_paths(history: tuple[list[Draft], Facts]) -> None:
    drafts, _ = history
    assert [draft.entry_id for draft in drafts[:3]] == ["e-1", "e-2", "e-3"]
    assert (drafts[2].call_ids, drafts[3].call_ids, drafts[3].tool) == (("t1",), ("t1",), "grep")
    assert (drafts[1].paths, drafts[2].paths) == (("src/coupon.py",), ("src",))
    assert drafts[1].chars == len("Where is the coupon checked?") + 4800 + len("src/coupon.py")
    assert drafts[2].time == 1764590001000


def test_messages_come_back(history: tuple[list[Draft], Facts]) -> None:
    raws = SAMPLE.read_bytes().splitlines()
    assert Runtime().message(raws[0]) is None
    assert Runtime().message(raws[3]) == canonical.Message(
        "assistant",
        (
            canonical.Thinking("hidden-thought on coupons"),
            canonical.ToolCall("t1", "grep", {"pattern": "def check", "path": "src"}),
        ),
        model="local/tiny",
    )
    assert Runtime().message(raws[4]) == canonical.Message(
        "tool", (canonical.ToolResult("t1", "src/coupon.py:9: def check(code)"),)
    )
    assert Runtime().message(raws[8]) is None


def test_recognised_by_its_format_or_its_provenance() -> None:
    runtime = Runtime()
    raws = SAMPLE.read_bytes().splitlines()
    assert runtime.recognise("/x/a.jsonl", raws[0] + b"\n")
    assert runtime.recognise("/x/a.jsonl", b'{"type":"ds4-\n' + raws[1] + b"\n")
    assert not runtime.recognise("/x/a.jsonl", json.dumps({"type": "message", "message": {}}).encode())
    assert not runtime.recognise("/x/a.txt", raws[0])


def test_what_has_a_role_that_nobody_knows_reaches_no_model_and_is_found() -> None:
    message = {"id": "m", "role": "narrator", "blocks": [{"type": "text", "text": "the quince is ripe"}]}
    raw = json.dumps({"type": "message", "message": message}).encode()
    [draft] = Runtime().parser("x.jsonl").parse(raw)
    assert (draft.kind, draft.role, draft.visible, draft.text) == (Kind.STATE, None, False, "the quince is ripe")
    assert Runtime().message(raw) is None
