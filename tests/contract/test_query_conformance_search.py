"""What searching promises: extraction, filters, scopes, order, snippets and escaping."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.errors import InvalidFilterError, InvalidLimitError, InvalidQueryError, SearchDisabledError
from backstory.records.filters import EntryFilter, SessionFilter
from backstory.records.query import EventHits, ListEvents, ListSessions, Mode, QueryOptions
from tests.contract.query_pins import pins
from tests.fakes.corpus import START, Corpus, assistant, result, said, user


def call(name: str, arguments: str) -> dict[str, object]:
    return {"type": "tool/call", "data": {"callId": "c1", "name": name, "arguments": arguments}}


@pins("extraction.said")
def test_messages_and_tools_are_searchable(corpus: Corpus) -> None:
    corpus.put("s", user("quokka one"), assistant(said("wombat two"), {"type": "tool-call", "id": "c1", "name": "dig",
               "arguments": '{"where":"burrow"}'}), call("dig", '{"where":"burrow"}'), result("numbat three"),
               result("x", error={"name": "OddError", "code": "E_ODD"}))  # fmt: skip
    assert corpus.seqs("quokka one") == [0]
    assert corpus.seqs("wombat two") == [1]
    assert corpus.seqs("burrow") == [2, 1]
    assert corpus.seqs("dig") == [2, 1]
    assert corpus.seqs("numbat three") == [3]
    assert corpus.seqs("OddError E_ODD") == [4]


@pins("extraction.more")
def test_todos_reasons_and_errors_are_searchable(corpus: Corpus) -> None:
    ends = [{"kind": "error", "error": {"message": "the socket froze"}}, {"kind": "aborted", "reason": "walked away"},
            {"kind": "blocked", "reason": "forbidden topic"}, {"kind": "max-tokens"}]  # fmt: skip
    corpus.put("s", {"type": "todo/write", "data": {"todos": [{"status": "pending", "content": "feed the emu"}]}},
               *({"type": "turn/end", "data": {"turn": 1, "reason": end}} for end in ends))  # fmt: skip
    assert corpus.seqs("pending feed the emu") == [0]
    assert corpus.seqs("socket froze") == [1]
    assert corpus.seqs("walked away") == [2]
    assert corpus.seqs("forbidden topic") == [3]
    assert corpus.seqs("max tokens") == [4]


@pins("extraction.never")
def test_reasoning_and_structure_are_not_searchable(corpus: Corpus) -> None:
    corpus.put("s", assistant({"type": "reasoning", "text": "hiddenthought"}, said("spoken")),
               {"type": "assistant/chunk", "data": {"chunk": {"text": "chunkword"}}},
               {"type": "request/header", "data": {"header": {"system": "headword"}}},
               {"type": "turn/end", "data": {"turn": 1, "reason": {"kind": "completed"}}},
               {"type": "plugin/unheard", "data": {"text": "pluginword"}, "ignorable": True})  # fmt: skip
    for word in ("hiddenthought", "chunkword", "headword", "completed", "pluginword"):
        assert corpus.seqs(word) == [], word
    assert corpus.seqs("spoken") == [0]
    documents = corpus.query.list_events(ListEvents(session="s", documents=True))
    assert [event.seq for event in documents.items] == [0]


@pins("filters.and-or")
def test_arrays_are_anded_and_values_ored(corpus: Corpus) -> None:
    for name, cwd in (("a", "/x"), ("b", "/x"), ("c", "/y")):
        corpus.put(name, user("emu"), cwd=cwd)
    one, two = SessionFilter(ids=("a", "c")), SessionFilter(cwds=("/x",))
    assert sorted(corpus.ids("emu", session_filters=(one,))) == ["a", "c"]
    assert corpus.ids("emu", session_filters=(one, two)) == ["a"]
    assert corpus.ids("emu", session_filters=(SessionFilter(ids=()),)) == []
    assert corpus.ids("emu", event_filters=(EntryFilter(kinds=()),)) == []


@pins("filters.session")
def test_sessions_are_filtered(corpus: Corpus) -> None:
    corpus.put("a", user("emu"), cwd="/x", created=START)
    corpus.put("b", user("emu"), created=START + 5_000, parentSession="a")
    listed = [
        [one.id for one in corpus.query.list_sessions(ListSessions(filters=(given,))).items]
        for given in (
            SessionFilter(cwds=("/x",)), SessionFilter(cwds=(None,)), SessionFilter(created=(START, START)),
            SessionFilter(created=(START + 1, None)), SessionFilter(parents=("a",)), SessionFilter(parents=(None,)),
            SessionFilter(availability=("present",)), SessionFilter(availability=("live", "missing")),
            SessionFilter(sources=("dsh",)), SessionFilter(sources=("pi",)),
        )
    ]  # fmt: skip
    assert listed == [["a"], ["b"], ["a"], ["b"], ["b"], ["a"], ["b", "a"], [], ["b", "a"], []]


@pins("filters.event")
def test_events_are_filtered(corpus: Corpus) -> None:
    corpus.put("s", user("emu"), assistant(said("emu")), call("dig", '{"path":"src/emu.py"}'), result("emu"))
    for given, seqs in (
        (EntryFilter(seq=(1, 2)), [1, 2]), (EntryFilter(time=(None, START)), [0]),
        (EntryFilter(kinds=("prompt",)), [0]),
        (EntryFilter(roles=("assistant",)), [1, 2]), (EntryFilter(surfaces=("log-only",)), [2]),
        (EntryFilter(tools=("dig",)), [2, 3]), (EntryFilter(tools=("no", "DIG")), [2, 3]),
        (EntryFilter(paths=("emu.py",)), [2]),
    ):  # fmt: skip
        assert sorted(corpus.seqs("emu", "s", filters=(given,))) == seqs, given


@pins("filters.invalid")
@pytest.mark.parametrize("given", [
    EntryFilter(seq=(3, 2)), EntryFilter(surfaces=("gone",)), EntryFilter(time=(float("nan"), None)),  # type: ignore[arg-type]
    EntryFilter(session=1), SessionFilter(created=(9, 8)), SessionFilter(availability=("nearby",)),
    EntryFilter(kinds=("prompt", "tool_result")), EntryFilter(roles=("model",)), SessionFilter(origins=("branch",)),
    SessionFilter(ids=("x",) * 40_000),
])  # fmt: skip
def test_impossible_filters_are_refused(corpus: Corpus, given: EntryFilter | SessionFilter) -> None:
    name: Any = "event_filters" if isinstance(given, EntryFilter) else "session_filters"
    with pytest.raises(InvalidFilterError):
        corpus.sessions("emu", Mode.LITERAL, **{name: (given,)})


@pins("filters.text")
def test_a_text_clause_scans(corpus: Corpus) -> None:
    corpus.put("s", user("The  Big\n(EMU) ÄPFEL"), user("big emu"))

    def scanned(*texts: str) -> list[int]:
        filters = tuple(EntryFilter(text=text) for text in texts)
        return [one.seq for one in corpus.query.list_events(ListEvents(session="s", filters=filters)).items]

    assert scanned("big (emu)") == [0]
    assert scanned("ig ") == [0, 1]
    assert scanned("äpfel", "THE BIG") == [0]
    for bad in ("  ", "emu \udc00"):
        with pytest.raises(InvalidFilterError):
            scanned(bad)
    with pytest.raises(InvalidFilterError):
        corpus.events("emu", "s", filters=(EntryFilter(text="emu"),))


@pins("scope.sessions")
def test_sessions_keep_their_strongest_event(corpus: Corpus) -> None:
    corpus.put("a", user("emu"), user("emu and emu"))
    corpus.put("b", user("emu or so"))
    found = corpus.sessions("emu")
    assert [(hit.session.id, hit.best.seq) for hit in found.items] == [("a", 1), ("b", 0)]


@pins("scope.events")
def test_events_stay_within_their_session(corpus: Corpus) -> None:
    corpus.put("a", user("emu"))
    corpus.put("b", user("emu"))
    for mode in Mode:
        found = corpus.events("emu", "b", mode)
        assert [hit.session for hit in found.items] == ["b"]
        assert found.session is not None
        assert found.session.id == "b"


@pins("surfaces.default")
def test_all_surfaces_take_part(corpus: Corpus) -> None:
    replaced = user("emu summary", surfaceOp={"op": "replace", "start": 0, "end": 0}, sourceEventSeqs=[0])
    corpus.put("s", user("emu old"), call("emu", "{}"), replaced)
    found = {hit.seq: hit.surface for hit in corpus.events("emu", "s").items}
    assert found == {0: "shadowed", 1: "log-only", 2: "current"}
    assert corpus.seqs("emu", "s", filters=(EntryFilter(surfaces=("shadowed", "current")),)) == [0, 2]


@pins("filters.before-ranking")
def test_conditions_hold_before_ranking(corpus: Corpus) -> None:
    corpus.put("s", user("emu emu emu"), assistant(said("emu")))
    for mode in Mode:
        found = corpus.sessions("emu", mode, event_filters=(EntryFilter(roles=("assistant",)),))
        assert [hit.best.seq for hit in found.items] == [1]


@pins("snippets")
def test_snippets_show_the_first_match(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, options=QueryOptions(snippet_chars=30))
    text = "word " * 40 + "the  big\n Émü 😀 emu " + "tail " * 40
    corpus.put("s", user(text), user("short emu"), user("x" * 50 + " emu"))
    by_seq = {hit.seq: hit.snippet for hit in corpus.events("emu").items}
    assert by_seq[1] == "short emu"
    assert by_seq[2].endswith("emu")
    assert by_seq[2].startswith("…")
    assert "Émü 😀 emu" in by_seq[0]
    assert all(len(snippet) <= 30 for snippet in by_seq.values())
    assert (by_seq[0][0], by_seq[0][-1]) == ("…", "…")


@pins("literal.escaping")
def test_operators_are_data(corpus: Corpus) -> None:
    corpus.put("s", user('say "a OR b" NEAR(c*) or not'), user("a b c"))
    assert corpus.seqs('"a OR b"') == [0]
    assert corpus.seqs("NEAR(c*)") == [0]
    assert corpus.seqs("a OR c") == []
    assert corpus.seqs("a*") == [1, 0]
    assert corpus.seqs('"') == []
    assert corpus.seqs("said: *) ^ {") == []
    assert corpus.seqs("  or \n  not ") == [0]
    for bad in ("", " \n", "a\0b", "a \ud800", "a " * 2_001):
        with pytest.raises(InvalidQueryError):
            corpus.seqs(bad)
    with pytest.raises(InvalidQueryError):
        corpus.seqs("a", mode="fuzzy")  # type: ignore[arg-type]


@pins("literal.tokens")
def test_phrases_follow_tokens(corpus: Corpus) -> None:
    corpus.put("s", user("BRAID and AI"), result("first half"), assistant(said("fooBar second")))
    assert corpus.seqs("AI") == [0]
    assert corpus.seqs("first half second") == []
    assert corpus.seqs("half") == [1]
    assert corpus.seqs("Bar second") == []
    corpus.put("cjk", user("全文搜索会话历史"))
    assert corpus.ids("搜索") == ["cjk"]


@pins("literal.marks")
def test_reserved_marks_are_replaced(corpus: Corpus) -> None:
    corpus.put("s", user("left\ufdd0right \ufdd1 end\0nul"))
    assert corpus.seqs("left\ufdd1right") == [0]
    snippet = corpus.events("left right").items[0].snippet
    assert snippet == "left\ufffdright \ufffd end\ufffdnul"


@pins("ties")
def test_order_is_deterministic(corpus: Corpus) -> None:
    corpus.put("b", user("emu emu"), user("emu xx"), user("emu yy"), created=START)
    corpus.put("a", user("emu emu"), user("emu xxx"), created=START)
    found = [(hit.session, hit.seq) for hit in corpus.events("emu").items]
    assert found == [("a", 0), ("b", 0), ("b", 2), ("b", 1), ("a", 1)]
    corpus.put("c", user("go go go go"), user("go go, go go!"), user("go go x go go y"))
    assert corpus.seqs("go go go", "c") == [0, 1]
    assert corpus.seqs("go go", "c") == [2, 0, 1]


@pins("limits")
def test_limits_are_bounded(corpus: Corpus) -> None:
    corpus.put("s", *(user(f"emu {at}") for at in range(30)))
    assert len(corpus.events("emu").items) == 20
    assert len(corpus.events("emu", limit=100).items) == 30
    for limit in (0, 101, -1):
        with pytest.raises(InvalidLimitError):
            corpus.events("emu", limit=limit)
    with pytest.raises(InvalidLimitError):
        corpus.query.list_sessions(ListSessions(limit=1_001))


@pins("disabled")
def test_search_can_be_switched_off(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, options=QueryOptions(search=False))
    corpus.put("s", user("emu"))
    for search in (corpus.events, corpus.sessions):
        with pytest.raises(SearchDisabledError):
            search("emu")
    assert corpus.query.read_event("s", 0).events[0].text == "emu"


@pins("no-scores")
def test_no_answer_carries_a_score(corpus: Corpus) -> None:
    corpus.put("s", user("emu"))
    for mode in Mode:
        told = msgspec.json.encode((corpus.events("emu", mode=mode), corpus.sessions("emu", mode))).decode()
        told = told.replace(str(corpus.folder), "")
        assert "emu" in told
        assert "score" not in told
        assert "rank" not in told


@pins("live.comparable")
@pytest.mark.parametrize("mode", Mode)
def test_stored_and_live_rank_alike(tmp_path: Path, mode: Mode) -> None:
    texts = ["emu emu runs far", "the emu runs", "a far longer text in which an emu runs about and about", "runs"]
    orders: list[list[str]] = []
    for live in range(len(texts) + 1):
        folder = tmp_path / str(live)
        folder.mkdir()
        corpus = Corpus(folder)
        for at, text in enumerate(texts):
            if at >= live:
                corpus.put(f"s{at}", user(text))
        for at in range(live):
            corpus.attach_text(f"s{at}", texts[at])
        found: EventHits = corpus.events("emu runs" if mode == Mode.RELEVANCE else "emu", mode=mode)
        orders.append([hit.session for hit in found.items])
        assert sorted(orders[-1]) == sorted(orders[0])
    assert all(order == orders[0] for order in orders), orders
