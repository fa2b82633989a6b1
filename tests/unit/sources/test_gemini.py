"""Gemini's records as lines and as a document: repeats, rewinds, patches and results inside messages."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.dialogue import surface
from backstory.records import message as canonical
from backstory.records import node
from backstory.records.session import Draft, Facts, Kind, Op
from backstory.sources.adapters.gemini.source import Gemini

SAMPLES = Path(__file__).parents[2] / "fixtures" / "sources" / "gemini"
FIGS = SAMPLES / "session-2026-05-02T11-00-5e5e5e5e.jsonl"
SOURCE = Gemini()
HEADER = {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z", "kind": "main"}


def read(path: Path) -> tuple[list[Draft], Facts]:
    parser = SOURCE.parser(str(path))
    return [draft for raw in path.read_bytes().splitlines() for draft in parser.parse(raw)], parser.facts


def parse(*rows: dict[str, Any], path: str = "/t/h/chats/session-x.jsonl") -> tuple[list[Draft], Facts]:
    parser = SOURCE.parser(path)
    return [draft for row in rows for draft in parser.parse(json.dumps(row).encode())], parser.facts


def said(id_: str, type_: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"id": id_, "timestamp": "2026-01-01T00:00:00Z", "type": type_, "content": content, **fields}


def surfaces(drafts: list[Draft]) -> list[str]:
    nodes = [node.of(draft, seq) for seq, draft in enumerate(drafts)]
    return [str(found) for found in surface.fold(nodes, shape="line", rules="gemini", strict=True)]


def test_calls_and_results_become_two_entries() -> None:
    drafts, _ = read(FIGS)
    call = next(draft for draft in drafts if draft.call_ids and draft.role == "assistant")
    result = next(draft for draft in drafts if draft.kind == Kind.TOOL_RESULT)
    assert call.text == "Let me look.\nread_file\n/home/ada/orchard/fig.md"
    assert (call.tool, call.paths) == ("read_file", ("/home/ada/orchard/fig.md",))
    assert (result.text, result.tool, result.call_ids, result.role) == (
        "Figs need sun.",
        "read_file",
        ("run-1",),
        "tool",
    )


def test_a_message_written_again_replaces_its_earlier_copy() -> None:
    drafts, _ = parse(
        HEADER,
        said("a", "user", "hello"),
        said("b", "gemini", "one"),
        said("b", "gemini", "one", tokens={"total": 3}),
        said("c", "user", "more"),
    )
    assert (drafts[2].op, drafts[2].target) == (Op.REPLACE, "1-1")
    assert surfaces(drafts) == ["current", "shadowed", "current", "current"]


def test_a_rewind_hides_what_it_took_back() -> None:
    drafts, _ = parse(
        HEADER,
        said("a", "user", "1"),
        said("b", "gemini", "2"),
        said("c", "user", "3"),
        {"$rewindTo": "b"},
        said("d", "user", "4"),
    )
    assert surfaces(drafts) == ["current", "shadowed", "shadowed", "log-only", "current"]
    drafts, _ = parse(HEADER, said("a", "user", "1"), {"$rewindTo": "never-seen"}, said("d", "user", "4"))
    assert surfaces(drafts) == ["shadowed", "log-only", "current"]


def test_a_patch_takes_no_entry_unless_it_names_the_session_or_replaces_the_conversation() -> None:
    one, two = said("a", "user", "1"), said("b", "gemini", "2")
    named: dict[str, Any] = {"$set": {"lastUpdated": "x", "summary": "Named"}}
    touched: dict[str, Any] = {"$set": {"lastUpdated": "y"}}
    drafts, facts = parse(HEADER, one, named, touched, two, named, said("b", "gemini", "3"))
    assert [(draft.kind, draft.text) for draft in drafts[:3]] == [
        (Kind.PROMPT, "1"), (Kind.TITLE, "Named"), (Kind.MESSAGE, "2"),
    ]  # fmt: skip
    assert (len(drafts), facts.title) == (4, "Named")
    assert surfaces(drafts) == ["current", "log-only", "shadowed", "current"]
    drafts, _ = parse(HEADER, one, two, {"$set": {"messages": [one, two]}})
    assert [draft.text for draft in drafts] == ["1", "2"]
    drafts, _ = parse(HEADER, one, two, {"$set": {"messages": [said("n", "user", "what happened so far"), two]}})
    assert [draft.text for draft in drafts] == ["1", "2", "what happened so far"]
    assert drafts[2].kind == Kind.SUMMARY
    assert surfaces(drafts) == ["shadowed", "current", "current"]


def test_notices_are_kept_and_never_sent() -> None:
    drafts, _ = read(FIGS)
    assert [(draft.kind, draft.text) for draft in drafts if draft.kind in {Kind.SYSTEM, Kind.ERROR}] == [
        (Kind.SYSTEM, "Request cancelled."),
        (Kind.ERROR, "[API Error: quota]"),
    ]
    assert not any(draft.visible for draft in drafts if draft.kind in {Kind.SYSTEM, Kind.ERROR})


def test_a_prompt_is_what_was_typed_not_what_was_attached() -> None:
    drafts, facts = read(FIGS)
    assert drafts[0].text == "what do figs need? @fig.md"
    assert drafts[0].chars > 4800
    assert facts.title == "Fig care"


def test_a_document_is_cut_at_exact_places() -> None:
    path = SAMPLES / "small.json"
    data = path.read_bytes()
    pieces = list(SOURCE.split(data))
    assert pieces[0] == (0, data)
    assert [json.loads(raw)["id"] for _, raw in pieces[1:]] == ["m1", "m2"]
    assert all(data[offset : offset + len(raw)] == raw for offset, raw in pieces)
    parser = SOURCE.parser(str(path))
    drafts = [draft for _, raw in pieces for draft in parser.parse(raw)]
    assert [(draft.kind, draft.text) for draft in drafts] == [(Kind.PROMPT, "Hello"), (Kind.MESSAGE, "Hi!")]


def test_equal_messages_in_a_document_keep_their_own_places() -> None:
    turn = said("a", "user", 'the word "messages": [')
    data = json.dumps({"summary": json.dumps(turn), **HEADER, "messages": [turn, turn]}).encode()
    (_, (first, raw), (second, _), (title, _)) = SOURCE.split(data)
    assert title < first < second
    assert data[second : second + len(raw)] == raw


def test_a_document_with_half_a_character_is_read_in_place() -> None:
    turns = rb'[{"id":"a","type":"user","content":"x\ud83d"},{"id":"b","type":"user"}]'
    data = b'{"sessionId":"s","projectHash":"h","messages":' + turns + b"}"
    pieces = list(SOURCE.split(data))
    assert all(data[offset : offset + len(raw)] == raw for offset, raw in pieces)
    parser = SOURCE.parser("/x.json")
    assert [draft.text for _, raw in pieces for draft in parser.parse(raw)] == ["x\ufffd", ""]


@pytest.mark.parametrize("data", [b"", b"{", b'{"messages":[', b"[" * 100_000, b'{"messages":3}', b"[]"])
def test_a_broken_document_raises_a_decode_error(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        list(SOURCE.split(data))


@pytest.mark.parametrize("place", ["before", "after", "nothing said"])
def test_the_title_of_a_document_is_its_last_entry(place: str) -> None:
    turns = [said("a", "user", 'he wrote "summary": "Figs and \\u00fc"', timestamp="2026-01-01T00:00:05Z")]
    titled = {"summary": "Figs and \u00fc"}
    body = {**titled, "messages": turns} if place == "before" else {"messages": turns[: place == "after"], **titled}
    data = json.dumps({**HEADER, **body}).encode()
    pieces = list(SOURCE.split(data))
    assert all(data[offset : offset + len(raw)] == raw for offset, raw in pieces)
    parser = SOURCE.parser("/x.json")
    *_, last = [draft for _, raw in pieces for draft in parser.parse(raw)]
    told = None if place == "nothing said" else 1_767_225_605_000
    assert (last.kind, last.text, last.time) == (Kind.TITLE, "Figs and \u00fc", told)
    assert parser.facts.title == "Figs and \u00fc"


@pytest.mark.parametrize("summary", [None, 3, ["x"], {"a": "b"}])
def test_a_document_whose_title_is_no_text_has_none(summary: object) -> None:
    data = json.dumps({**HEADER, "messages": [], "summary": summary}).encode()
    assert [offset for offset, _ in SOURCE.split(data)] == [0]


def test_a_bare_string_among_lines_is_no_title() -> None:
    [draft] = SOURCE.parser("/x.jsonl").parse(b'"said"')
    assert draft.kind == Kind.STATE


def test_a_title_was_given_when_its_patch_says_or_after_what_stands_before_it() -> None:
    one = said("a", "user", "1", timestamp="2026-01-01T00:00:01Z")
    stated: dict[str, Any] = {"$set": {"summary": "Named", "lastUpdated": "2026-01-01T00:00:02Z"}}
    bare: dict[str, Any] = {"$set": {"summary": "Renamed"}}
    drafts, _ = parse(HEADER, one, stated, bare)
    assert [draft.time for draft in drafts] == [1_767_225_601_000, 1_767_225_602_000, 1_767_225_602_000]
    drafts, _ = parse(HEADER, one, bare)
    assert drafts[1].time == drafts[0].time


def test_a_document_without_messages_is_only_a_header() -> None:
    data = json.dumps(HEADER).encode()
    assert list(SOURCE.split(data)) == [(0, data)]


def test_a_subagent_lies_in_a_folder_named_by_its_parent() -> None:
    header = {**HEADER, "sessionId": "child", "kind": "subagent", "directories": ["/home/ada/orchard"]}
    _, facts = parse(header, path="/t/h/chats/boss/child.jsonl")
    assert (facts.id, facts.parent, facts.origin, facts.cwd) == ("boss/child", "boss", "subagent", "/home/ada/orchard")
    _, facts = parse(HEADER)
    assert (facts.id, facts.parent, facts.origin) == ("s", None, "main")


def test_the_project_folder_is_read_from_beside_the_chats(tmp_path: Path) -> None:
    chats = tmp_path / "slug" / "chats"
    (chats / "boss").mkdir(parents=True)
    (tmp_path / "slug" / ".project_root").write_text("/home/ada/orchard\n", encoding="utf-8")
    assert SOURCE.parser(str(chats / "session-x.jsonl")).facts.cwd == "/home/ada/orchard"
    assert SOURCE.parser(str(chats / "boss" / "c.jsonl")).facts.cwd == "/home/ada/orchard"
    assert SOURCE.parser(str(tmp_path / "session-x.jsonl")).facts.cwd is None


def test_a_message_keeps_every_block() -> None:
    blocks = [
        block for raw in FIGS.read_bytes().splitlines() if (message := SOURCE.message(raw)) for block in message.blocks
    ]
    assert canonical.Thinking("hidden-thought\nhidden-thought about figs") in blocks
    assert canonical.Thinking("hidden-thought in parts") in blocks
    assert canonical.Image("image/png", 96) in blocks
    assert canonical.ToolCall("run-1", "read_file", {"absolute_path": "/home/ada/orchard/fig.md"}) in blocks
    assert canonical.ToolResult("run-1", "Figs need sun.") in blocks
