"""DSH: numbers, surfaces and texts of its events."""

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from backstory.dialogue import splice, surface
from backstory.errors import InvalidSurfaceError
from backstory.records import message as canonical
from backstory.records.node import of
from backstory.records.session import Draft, Entry, Facts, Kind, Malformed, Op, Surface
from backstory.sources.adapters.dsh.source import Dsh
from backstory.sources.lines import open_lines
from backstory.sources.reading import Reading
from tests.fakes.drafts import parsed

SAMPLES = Path(__file__).parents[2] / "fixtures" / "sources" / "dsh" / "--home-ada-shop--"
HEADER = {"type": "session", "version": 0, "id": "s1", "createdAt": 1000, "delegationDepth": 0}


def read(path: Path) -> tuple[list[Draft], Facts]:
    with path.open("rb") as file:
        return parse([line.raw or b"" for line in open_lines(file, 0, 0, 0, path.stat().st_size)], str(path))


def parse(raws: list[bytes], path: str = "/logs/s1/session.jsonl") -> tuple[list[Draft], Facts]:
    parser = Dsh().parser(path)
    return list(parsed(parser, raws)), parser.facts


def rows(*records: Any) -> list[Draft]:
    return parse([json.dumps(record).encode() for record in (HEADER, *records)])[0]


def event(type_: str, seq: int, data: Any, **fields: Any) -> dict[str, Any]:
    return {"type": type_, "seq": seq, "time": 5000 + seq, "data": data, **fields}


@pytest.fixture(scope="module")
def shop() -> tuple[dict[int, Draft], Facts]:
    drafts, facts = read(SAMPLES / "shop-7" / "session.jsonl")
    return {int(draft.seq or 0): draft for draft in drafts}, facts


def test_the_header_tells_the_session(shop: tuple[dict[int, Draft], Facts]) -> None:
    _, facts = shop
    assert (facts.id, facts.cwd, facts.created, facts.version) == ("shop-7", "/home/ada/shop", 1764579999000, "0")
    assert (facts.origin, facts.parent, facts.seed_length) == ("fork", "shop-1", 2)
    assert (facts.agent_preset, facts.title, facts.shape) == ("code", "Rounding of prices", "line")
    assert facts.models == ["deepseek/v4", "deepseek/v4-mini"]


def test_a_subagent_in_frames_of_a_compressed_file() -> None:
    drafts, facts = read(SAMPLES / "shop-8" / "session.jsonl.zstd")
    assert (facts.id, facts.origin, facts.parent, facts.delegation_depth) == ("shop-8", "subagent", "shop-7", 1)
    assert facts.title == "List the tax rates"
    nodes = [of(draft, int(draft.seq or 0)) for draft in drafts]
    folded = surface.fold(nodes, shape="line", rules=facts.rules, strict=True)
    assert folded == [Surface.SHADOWED, *[Surface.CURRENT] * 3, Surface.LOG_ONLY]


def test_packed_rows_take_as_many_numbers_as_they_hold_chunks(shop: tuple[dict[int, Draft], Facts]) -> None:
    drafts, _ = shop
    assert [(seq, drafts[seq].span) for seq in (5, 8, 12)] == [(5, 3), (8, 4), (12, 3)]
    assert all(drafts[seq].kind == Kind.STATE and not drafts[seq].text for seq in (5, 8, 12))
    assert 15 in drafts


@pytest.mark.parametrize(
    ("seq", "kind", "text"),
    [
        (1, Kind.PROMPT, "Round prices half up"),
        (3, Kind.MODEL, "deepseek/v4"),
        (15, Kind.MESSAGE, 'I will look first.\nedit\n{"path": "src/price.py", "new": "ROUND_HALF_UP"}'),
        (16, Kind.TOOL_CALL, 'edit\n{"path": "src/price.py", "new": "ROUND_HALF_UP"}'),
        (17, Kind.TOOL_RESULT, "no such line\nEditError\nNO_MATCH"),
        (19, Kind.TODO, "in_progress\nfind the rounding\npending\nwrite a test"),
        (20, Kind.TOOL_RESULT, "read\nsrc/tax.py\nVAT = 19"),
        (21, Kind.TITLE, "Rounding of prices"),
        (22, Kind.ERROR, "aborted\nbudget spent"),
        (23, Kind.SUMMARY, "So far: an edit of src/price.py failed."),
        (24, Kind.BOOT, "Follow AGENTS.md."),
        (25, Kind.ERROR, "the prompt names a customer"),
        (26, Kind.ERROR, "error\n402 insufficient balance"),
        (27, Kind.STATE, ""),
        (29, Kind.STATE, ""),
    ],
)
def test_what_an_event_says(shop: tuple[dict[int, Draft], Facts], seq: int, kind: str, text: str) -> None:
    assert (shop[0][seq].kind, shop[0][seq].text) == (kind, text)


def test_calls_and_results_share_ids_and_tools(shop: tuple[dict[int, Draft], Facts]) -> None:
    drafts, _ = shop
    assert {drafts[seq].call_ids for seq in (15, 16, 17)} == {("c1",)}
    assert (drafts[17].tool, drafts[15].tool, drafts[17].role) == ("edit", "edit", "tool")
    assert (drafts[15].paths, drafts[17].paths) == (("src/price.py",), ("src/price.py",))
    assert [drafts[seq].entry_id for seq in (1, 15, 17)] == ["m1", "m2", "m3"]


def test_replacements_fold_as_dsh_folds_them(shop: tuple[dict[int, Draft], Facts]) -> None:
    drafts, facts = shop
    assert (drafts[18].op, drafts[18].target, drafts[18].sources) == (Op.REPLACE, "17-17", (17,))
    nodes = [of(draft, seq) for seq, draft in drafts.items()]
    folded = dict(zip(drafts, surface.fold(nodes, shape="line", rules=facts.rules, strict=True), strict=True))
    assert [seq for seq, found in folded.items() if found == Surface.CURRENT] == [23, 24, 29]
    assert [seq for seq, found in folded.items() if found == Surface.SHADOWED] == [1, 15, 17, 18]
    by = {nodes[at].seq: nodes[to].seq for at, to in splice.fold(nodes).replaced.items()}
    assert by == {17: 18, 1: 23, 15: 23, 18: 23}


def test_both_spellings_of_a_range_are_read() -> None:
    said = {"content": [], "source": {"kind": "user"}}
    older, newer = ({"op": "replace", "start": 0, "end": 1}, {"op": "replace", "startSeq": 0, "endSeq": 1})
    for op in (older, newer):
        assert rows(event("user/message", 2, said, surfaceOp=op))[0].target == "0-1"


def test_a_contradiction_is_refused_only_when_strict() -> None:
    said = {"content": [{"type": "text", "text": "x"}]}
    drafts = rows(
        event("user/message", 0, said, surfaceOp="append"),
        event("user/message", 1, said, surfaceOp={"op": "replace", "start": 7, "end": 9}),
    )
    nodes = [of(draft, int(draft.seq or 0)) for draft in drafts]
    assert surface.fold(nodes, shape="line", rules="dsh") == [Surface.CURRENT, Surface.CURRENT]
    with pytest.raises(InvalidSurfaceError, match="entry 1"):
        surface.fold(nodes, shape="line", rules="dsh", strict=True)


def test_numbers_follow_gaps_and_never_go_back() -> None:
    drafts = rows(
        event("turn/start", 0, {}), event("turn/start", 4, {}), event("turn/start", 4, {}), event("x/y", 5, {})
    )
    assert [draft.seq for draft in drafts] == [0, 4, 5, 6]


def test_a_number_no_database_holds_is_not_taken() -> None:
    assert [draft.seq for draft in rows(event("x/y", 2**70, {}), event("x/y", 1, {}))] == [0, 1]


def test_old_reasons_are_words() -> None:
    drafts = rows(event("turn/end", 0, {"reason": "interrupted"}), event("turn/end", 1, {"reason": "completed"}))
    assert [(draft.kind, draft.text) for draft in drafts] == [(Kind.ERROR, "interrupted"), (Kind.STATE, "")]


def test_steering_is_a_prompt() -> None:
    said = {"message": {"content": [{"type": "text", "text": "stop, use cents"}], "source": {"kind": "user"}}}
    assert [(draft.kind, draft.text, draft.visible) for draft in rows(event("steering/message", 0, said))] == [
        (Kind.PROMPT, "stop, use cents", True)
    ]


def test_a_session_is_named_by_its_folder_until_the_header_comes() -> None:
    assert Dsh().parser("/r/--p--/shop-9/session.jsonl.zstd").facts.id == "shop-9"
    assert Dsh().parser("/flat/shop-9.jsonl").facts.id == "shop-9"


def test_recognised_by_its_clock_even_when_the_header_is_torn() -> None:
    dsh = Dsh()
    assert dsh.recognise("/x/session.jsonl", json.dumps(HEADER).encode() + b"\n")
    assert dsh.recognise(
        "/x/a.jsonl.zstd", b'{"type":"sess\n' + json.dumps(event("turn/start", 0, {})).encode() + b"\n"
    )
    assert not dsh.recognise("/x/a.jsonl", b'{"type":"session","timestamp":"2026-01-01T00:00:00Z"}\n')


def test_messages_carry_every_block() -> None:
    raws = (SAMPLES / "shop-7" / "session.jsonl").read_bytes().split(b"\n")
    messages = {json.loads(raw).get("seq"): Dsh().message(raw) for raw in raws if raw}
    arguments = {"path": "src/price.py", "new": "ROUND_HALF_UP"}
    assert messages[15] == canonical.Message(
        "assistant",
        (
            canonical.Thinking("hidden-thought of rounding"),
            canonical.Text("I will look first."),
            canonical.ToolCall("c1", "edit", arguments),
        ),
        model="deepseek/v4",
    )
    assert messages[17] == canonical.Message("tool", (canonical.ToolResult("c1", "no such line", error=True),))
    assert messages[16] is None
    assert messages[29] is None


def test_a_real_store_is_read_whole(data: Path) -> None:
    files = sorted((data / "dsh" / "c2k").rglob("session.jsonl.zstd"))
    assert len(files) == 40
    total = 0
    for path in files:
        drafts, facts = read(path)
        assert [draft.seq for draft in drafts] == list(range(len(drafts)))
        assert facts.id == path.parent.name
        nodes = [of(draft, seq) for seq, draft in enumerate(drafts)]
        folded = surface.fold(nodes, shape="line", rules=facts.rules, strict=True)
        log_only = [drafts[at].kind for at, found in enumerate(folded) if found == Surface.LOG_ONLY]
        assert set(log_only) <= {Kind.TOOL_CALL}
        assert all(draft.text for draft in drafts)
        total += len(drafts)
    assert total == 2000


def test_events_behind_a_torn_frame_are_read_and_the_damage_is_told(tmp_path: Path) -> None:
    said = {"content": [{"type": "text", "text": "quince"}]}
    head = {"type": "session", "version": 0, "id": "s1", "createdAt": 1, "delegationDepth": 0}
    records = [head, *(event("user/message", seq, said, surfaceOp="append") for seq in range(5))]
    frames = [zstandard.compress(json.dumps(record).encode() + b"\n") for record in records]
    frames[3] = frames[3][:-9]
    log = tmp_path / "s1" / "session.jsonl.zstd"
    log.parent.mkdir()
    log.write_bytes(b"".join(frames))
    found = list(Reading(Dsh(), str(log)))
    assert [one.seq for one in found if isinstance(one, Entry)] == [0, 1, 3, 4]
    assert [(one.line, one.reason) for one in found if isinstance(one, Malformed)] == [(4, "not a whole JSON record")]


def test_real_logs_with_a_gap_and_a_torn_tail_are_read(data: Path) -> None:
    whole, _ = read(data / "fixtures" / "dsh" / "malformed_torn_tail.jsonl")
    assert [draft.seq for draft in whole] == list(range(10))
    gap, _ = read(data / "fixtures" / "dsh" / "malformed_seq_gap.jsonl")
    assert len(gap) == 11
    assert len({draft.seq for draft in gap}) == 11


LINES = (
    b'{"type":"user/message","seq":%d,"time":7,"data":{"id":"m","content":[{"type":"text","text":" emu "}]},"id":"x"}',
    b'{"type":"user/message","seq":%d,"time":7,"data":{"content":"emu \\ud800"},"surfaceOp":"append"}',
    b'{"type":"user/message","seq":%d,"time":7,"data":{"content":5}}',
    b'{"type":"user/message","seq":%d,"time":7,"data":null}',
    b'{"type":"user/message","seq":%d,"time":7,"id":5,"data":{"content":"emu"}}',
    b'{"type":"user/message","seq":%d,"time":7,"data":{"content":"emu"},"type":"todo/write"}',
    b'{"type":"tool/call","seq":%d,"time":7,"data":{"callId":"c","name":"read","arguments":"{\\"path\\":\\"a.py\\"}"}}',
    b'{"type":"tool/result","seq":%d,"data":{"message":{"content":[{"type":"tool-result","toolCallId":"c"}]}}}',
    b'{"type":"turn/end","seq":%d,"time":7,"data":{"reason":"aborted"}}',
    b'{"kind":"user/message","type":"session/title","seq":%d,"data":{"title":"emu"}}',
)


def test_a_line_says_the_same_however_its_fields_are_ordered() -> None:
    apart, together = Dsh().parser("/logs/s1/session.jsonl"), Dsh().parser("/logs/s1/session.jsonl")
    for number, line in enumerate(LINES):
        raw = line % number
        moved = b'{"seq":0,' + raw[1:]
        assert together.parse(raw) == apart.parse(moved), raw
    assert together.facts == apart.facts
    assert [draft.text for draft in together.parse(LINES[0] % 50)] == ["emu"]


def test_what_a_call_carries_beside_its_text_is_counted() -> None:
    content = [
        {"type": "text", "text": "see"},
        {"type": "image", "mediaType": "image/png", "data": "AAAA"},
        {"type": "reasoning", "text": "so it is"},
        {
            "type": "tool-result",
            "toolCallId": "c",
            "content": [{"type": "image", "mediaType": "image/png", "data": "A"}],
        },
    ]
    [draft] = rows(event("user/message", 0, {"content": content}))
    assert (draft.text, draft.chars) == ("see", len("see") + 2 * 4800 + len("so it is"))
