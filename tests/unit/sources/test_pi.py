"""Pi: what becomes of each kind of entry in all three formats."""

import json
from pathlib import Path
from typing import Any

import pytest

from backstory.dialogue import active, surface
from backstory.records import message as canonical
from backstory.records.budget import Prices, Usage
from backstory.records.node import of
from backstory.records.session import Draft, Facts, Kind, Op, Surface
from backstory.sources.adapters.pi.source import Pi
from tests.fakes.drafts import parsed

SAMPLES = Path(__file__).parents[2] / "fixtures" / "sources" / "pi"
HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/home/ada"}


def read(name: str) -> tuple[list[Draft], Facts]:
    raws = (SAMPLES / name).read_bytes().split(b"\n")
    return parse(raws, str(SAMPLES / name))


def parse(raws: list[bytes], path: str = "/logs/x_s1.jsonl") -> tuple[list[Draft], Facts]:
    parser = Pi().parser(path)
    return list(parsed(parser, raws)), parser.facts


def rows(*records: dict[str, Any]) -> tuple[list[Draft], Facts]:
    return parse([json.dumps(record).encode() for record in records])


def entry(id_: str, parent: str | None, type_: str = "message", **fields: Any) -> dict[str, Any]:
    return {"type": type_, "id": id_, "parentId": parent, "timestamp": "2026-01-01T00:00:01Z", **fields}


@pytest.fixture(scope="module")
def hand() -> tuple[dict[str, Draft], Facts]:
    drafts, facts = read("2026-12-01T09-00-00-000Z_hand.made_1.jsonl")
    return {str(draft.entry_id): draft for draft in drafts}, facts


def test_the_header_tells_the_session(hand: tuple[dict[str, Draft], Facts]) -> None:
    _, facts = hand
    assert (facts.id, facts.cwd, facts.version, facts.shape) == ("hand.made_1", "/home/ada/shop", "3", "tree")
    assert facts.created == 1796115600000
    assert (facts.origin, facts.parent) == ("fork", "0199aaaa-bbbb-7ccc-8ddd-eeeeffff0000")
    assert facts.models == ["mock/mock-1", "mock/mock-2"]


def test_a_cleared_name_gives_way_to_the_first_prompt(hand: tuple[dict[str, Draft], Facts]) -> None:
    drafts, facts = hand
    assert facts.title == "Why does the cart lose its discount?"
    assert (drafts["b5"].kind, drafts["b5"].text) == (Kind.TITLE, "Lost discount")
    assert (drafts["b9"].kind, drafts["b9"].text) == (Kind.TITLE, "")


def test_the_newest_name_is_the_title() -> None:
    names = [entry(str(n), None, "session_info", name=name) for n, name in enumerate(("first", "second"))]
    assert rows(HEADER, *names)[1].title == "second"


def test_a_prompt_counts_its_image_and_hides_it(hand: tuple[dict[str, Draft], Facts]) -> None:
    prompt = hand[0]["a1"]
    assert (prompt.kind, prompt.role, prompt.visible) == (Kind.PROMPT, "user", True)
    assert prompt.text == "\n# Why does the cart lose its discount?\nSee the screenshot."
    assert prompt.chars == len(prompt.text) + 4800


def test_an_answer_shows_calls_and_not_thoughts(hand: tuple[dict[str, Draft], Facts]) -> None:
    answer = hand[0]["a2"]
    expected = "Reading the cart\u2028module.\nread\nsrc/cart.py\nbash\ngrep -n discount src/cart.py"
    assert (answer.kind, answer.text) == (Kind.MESSAGE, expected)
    assert (answer.call_ids, answer.tool, answer.paths) == (("call_1", "call_2"), "read", ("src/cart.py",))
    assert answer.model == "mock/mock-1"
    assert answer.chars > len(answer.text)


def test_results_answer_their_calls(hand: tuple[dict[str, Draft], Facts]) -> None:
    first, second = hand[0]["a3"], hand[0]["a4"]
    assert (first.kind, first.role, first.tool, first.call_ids) == (Kind.TOOL_RESULT, "tool", "read", ("call_1",))
    assert second.text == '12: discount = 0\nmcp__notes__recall\n{"query":"coupon"}'


def test_a_failed_try_is_an_error_that_an_edit_drops(hand: tuple[dict[str, Draft], Facts]) -> None:
    drafts, facts = hand
    assert (drafts["a5"].kind, drafts["a5"].text) == (Kind.ERROR, "529 overloaded_error")
    assert (drafts["a6"].op, drafts["a6"].target, drafts["a6"].visible) == (Op.EDIT, "a5", False)
    assert (drafts["a7"].text, drafts["a7"].visible) == ("[12 lines about discounts left out]", True)
    nodes = [of(draft, seq) for seq, draft in enumerate(drafts.values())]
    folded = dict(zip(drafts, surface.fold(nodes, shape="tree", rules=facts.rules), strict=True))
    assert (folded["a5"], folded["a6"]) == (Surface.SHADOWED, Surface.LOG_ONLY)
    assert (folded["a4"], folded["a7"]) == (Surface.SHADOWED, Surface.CURRENT)
    seen = [nodes[at].entry_id for at in active.seen(nodes, shape="tree", rules=facts.rules)]
    assert seen == ["a1", "a2", "a3", "a7", "a8", "b2", "b8"]


def test_a_command_may_be_kept_from_the_model(hand: tuple[dict[str, Draft], Facts]) -> None:
    shown, kept = hand[0]["a8"], hand[0]["a9"]
    assert (shown.kind, shown.text, shown.visible) == (Kind.COMMAND, "pytest -q\n1 failed", True)
    assert (kept.kind, kept.visible) == (Kind.COMMAND, False)


def test_extensions_keep_state_and_inject_memory(hand: tuple[dict[str, Draft], Facts]) -> None:
    state, memory = hand[0]["b1"], hand[0]["b2"]
    assert (state.kind, state.text, state.visible, state.tool) == (Kind.STATE, "", False, "shop.state")
    assert (memory.kind, memory.text, memory.visible) == (Kind.MEMORY, "Prices are kept in cents.", True)


def test_labels_and_models_are_searchable(hand: tuple[dict[str, Draft], Facts]) -> None:
    label, model = hand[0]["b4"], hand[0]["b7"]
    assert (label.kind, label.text, label.target, label.op) == (Kind.LABEL, "the question", "a1", None)
    assert (model.kind, model.text, model.model) == (Kind.MODEL, "mock/mock-2", "mock/mock-2")


def test_wrong_shapes_keep_their_place(hand: tuple[dict[str, Draft], Facts]) -> None:
    odd = hand[0]["b6"]
    assert (odd.kind, odd.parent_id, odd.text) == (Kind.STATE, "b5", "")
    assert hand[0]["b8"].parent_id == "b7"


def test_a_lone_surrogate_becomes_a_replacement_character(hand: tuple[dict[str, Draft], Facts]) -> None:
    assert hand[0]["b8"].text == "a broken \ufffd face"


def test_an_entry_without_an_id_is_on_no_branch() -> None:
    drafts, _ = rows(HEADER, entry("a", None), {"type": "message", "message": {"role": "user", "content": "lost"}})
    assert (drafts[1].entry_id, drafts[1].visible, drafts[1].text) == (None, False, "lost")


def test_summaries_name_files_and_what_is_kept() -> None:
    drafts, _ = read("2026-11-29T18-43-55-306Z_01a2289e-f329-7184-9473-d6ba9f41c787.jsonl")
    compaction = next(draft for draft in drafts if draft.op == Op.COMPACT)
    assert (compaction.kind, compaction.visible) == (Kind.SUMMARY, True)
    assert compaction.target in {draft.entry_id for draft in drafts}
    assert "a.txt" in {path for draft in drafts if draft.kind == Kind.SUMMARY for path in draft.paths}


def test_the_first_format_gets_ids_from_its_order() -> None:
    drafts, facts = read("format-1.jsonl")
    assert [(draft.entry_id, draft.parent_id) for draft in drafts] == [
        ("v1:1", None),
        ("v1:2", "v1:1"),
        ("v1:3", "v1:2"),
        ("v1:4", "v1:3"),
    ]
    assert (facts.version, facts.title) == ("1", "v1 hello")
    nodes = [of(draft, seq) for seq, draft in enumerate(drafts)]
    assert active.context(nodes, shape="tree", rules=facts.rules) == [2, 1, 3]
    assert drafts[3].kind == Kind.MEMORY


def test_the_second_format_still_says_hook_message() -> None:
    header = {**HEADER, "version": 2}
    drafts, facts = rows(header, entry("a", None, message={"role": "hookMessage", "content": "told by a hook"}))
    assert (drafts[0].kind, drafts[0].visible, facts.version) == (Kind.MEMORY, True, "2")


@pytest.mark.parametrize(
    ("origin", "parent"),
    [
        ("/a/b/2025-01-01T00-00-00-000Z_abc-1.jsonl", "abc-1"),
        ("C:\\a\\2025-01-01T00-00-00-000Z_my.own_1.jsonl", "my.own_1"),
        ("/a/b/my_session.jsonl", "my_session"),
        ("my.own_1", "my.own_1"),
    ],
)
def test_a_branched_session_names_its_parent(origin: str, parent: str) -> None:
    header = {"type": "session", "id": "s", "timestamp": "2025-01-01T00:00:00Z", "provider": "mock", "modelId": "m"}
    for key in ("parentSession", "branchedFrom"):
        _, facts = rows({**header, key: origin})
        assert (facts.parent, facts.origin, facts.models) == (parent, "fork", ["mock/m"])


@pytest.mark.parametrize(
    ("marks", "rules"),
    [
        ([], "pi"),
        ([{"role": "assistant", "content": []}], "pi-0.84"),
        ([{"role": "assistant", "content": [], "durationMs": 3}], "pi-1.6"),
        ([{"role": "assistant", "content": []}, {"role": "system", "content": ""}], "pi-1.6"),
        ([{"role": "system", "content": ""}, {"role": "assistant", "content": []}], "pi-1.6"),
    ],
)
def test_the_content_tells_whose_rules_apply(marks: list[dict[str, Any]], rules: str) -> None:
    entries = [entry(str(n), None, message=said) for n, said in enumerate(marks)]
    assert rows(HEADER, *entries)[1].rules == rules


def test_the_system_prompt_is_carried_but_not_searched() -> None:
    said = {"role": "system", "content": "", "sections": {"rules": "be brief", "gone": None}, "toolsAdded": [{}, {}]}
    drafts, _ = rows(HEADER, entry("a", None, message=said))
    assert (drafts[0].kind, drafts[0].text, drafts[0].visible) == (Kind.SYSTEM, "", True)
    assert drafts[0].chars == len("be brief") + len("[{}, {}]")


def test_recognised_by_content_even_when_the_header_is_torn() -> None:
    pi = Pi()
    line = json.dumps(entry("a", None)).encode()
    assert pi.recognise("/any/name.jsonl", b"\xef\xbb\xbf\n" + json.dumps(HEADER).encode() + b"\n")
    assert pi.recognise("/any/name.jsonl", b'{"type":"sess\n' + line + b"\n")
    assert not pi.recognise("/any/name.jsonl", b'{"type":"session","id":"x","createdAt":1}\n')
    assert not pi.recognise("/any/name.json", json.dumps(HEADER).encode())


def test_messages_carry_every_block() -> None:
    raws = (SAMPLES / "2026-12-01T09-00-00-000Z_hand.made_1.jsonl").read_bytes().split(b"\n")
    messages = {json.loads(raw).get("id"): Pi().message(raw) for raw in raws if raw and b"ud83d" not in raw}
    answer = messages["a2"]
    assert answer is not None
    assert (answer.role, answer.model, answer.stop) == ("assistant", "mock/mock-1", "toolUse")
    assert [type(block) for block in answer.blocks] == [
        canonical.Thinking,
        canonical.Text,
        canonical.ToolCall,
        canonical.ToolCall,
    ]
    assert messages["a1"] == canonical.Message(
        "user",
        (
            canonical.Text("\n# Why does the cart lose its discount?\nSee the screenshot."),
            canonical.Image("image/png", len("aGlkZGVuIHBpeGVscw==")),
        ),
    )
    result = canonical.ToolResult("call_1", "def total(cart): ...\n[image]", images=1)
    assert messages["a3"] == canonical.Message("tool", (result,))
    assert messages["a9"] is None
    assert messages["b1"] is None
    assert messages["a6"] is None
    failed = messages["a5"]
    assert failed is not None
    assert failed.stop == "error"


@pytest.mark.parametrize(("name", "count", "shadowed"), [("before-compaction", 1002, 546), ("large-session", 1018, 0)])
def test_real_sessions_of_the_first_format_are_read_whole(data: Path, name: str, count: int, shadowed: int) -> None:
    drafts, facts = parse((data / "pi" / "v1-real" / f"{name}.jsonl").read_bytes().split(b"\n"))
    assert len(drafts) == count
    assert facts.title
    assert all(draft.kind in {Kind.STATE, Kind.MODEL} or draft.visible for draft in drafts)
    nodes = [of(draft, seq) for seq, draft in enumerate(drafts)]
    folded = surface.fold(nodes, shape="tree", rules=facts.rules)
    assert folded.count(Surface.SHADOWED) == shadowed


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input": 3, "output": 5, "cacheRead": 7, "cacheWrite": 2}, Usage(3, 7, 2, 5)),
        (
            {"input": 2_000, "output": 0, "cacheRead": 10, "cost": {"input": 0.006, "cacheRead": 0.000003}},
            Usage(2_000, 10, prices=Prices(input=3.0, cache_read=0.3)),
        ),
        ({"input": 5, "cost": {"input": 0}}, Usage(5)),
        ({"input": 0, "output": 9}, None),
        ({"input": "many"}, None),
        ([], None),
    ],
)
def test_counted_tokens_and_their_prices_are_read_with_an_answer(usage: Any, expected: Usage | None) -> None:
    said = {"role": "assistant", "content": [], "provider": "p", "model": "m", "usage": usage}
    found = Pi().message(json.dumps(entry("1", None, message=said)).encode())
    assert found is not None
    assert (found.model, found.usage) == ("p/m", expected)
