"""Historical evidence: verified matches of whole words, ranked by tier and score, quoted and cut around the match."""

import json
from collections.abc import Container, Mapping, Sequence

import msgspec

from backstory.plan.evidence.matching import Wanted, ranked, stands_in
from backstory.plan.evidence.recall import Notes, Recalled, recall
from backstory.records.evidence import Said
from backstory.text.quoting import EVIDENCE
from backstory.text.tokens import count

HISTORY = [
    Said(0, "user", "the parser breaks on empty input", 1, "e0", 1_000),
    Said(1, "assistant", "parse_request raises ValueError for empty input", 1, "e1", 2_000),
    Said(2, "result", "nothing of interest", 1, "e2", 3_000),
    Said(3, "user", "The parser  breaks on empty input", 2, "e3", 4_000),
    Said(4, "assistant", "prefixing is another matter", 2, "e4", 5_000),
]
WANTED = Wanted(("parse_request",), (), ("parse_request", "parser", "fix"))


def recalled(
    history: Sequence[Said],
    wanted: Wanted,
    holders: Mapping[int, Container[str]] | None = None,
    weights: Mapping[int, float] | None = None,
    *,
    most: int = 12,
    room: int = 5_000,
) -> Recalled:
    notes = Notes()
    matching = ranked(notes.matching(history, wanted, holders), weights)
    return recall(matching, notes, most=most, room=room, cost=count)


def ids(wanted: Wanted = WANTED, room: int = 5_000) -> list[str]:
    return [item.id for item in recalled(HISTORY, wanted, room=room).supplements]


def test_a_shared_name_ranks_above_shared_words_and_repetitions_go_once() -> None:
    found = recalled(HISTORY, WANTED)
    assert [item.id for item in found.supplements] == ["entry:e1", "entry:e3"]
    assert found.duplicates == 1


def test_a_word_inside_a_larger_word_does_not_count() -> None:
    assert not stands_in("fix", "prefixing is another matter")
    assert stands_in("fix", "a quick fix.")
    assert "entry:e4" not in ids()


def test_names_an_index_found_are_verified_and_its_words_are_taken() -> None:
    found = recalled(HISTORY, WANTED, {1: {"parser"}, 2: {"parse_request"}})
    assert [item.id for item in found.supplements] == ["entry:e1"]


def test_what_the_terms_are_worth_decides() -> None:
    wanted = Wanted((), (), ("empty",))
    one, other = (
        recalled(HISTORY, wanted, None, weights, most=1).supplements[0].id
        for weights in ({0: 3.0, 1: 1.0, 3: 1.0}, {0: 1.0, 1: 1.0, 3: 3.0})
    )
    assert (one, other) == ("entry:e0", "entry:e3")


def test_a_time_that_no_calendar_has_is_unknown() -> None:
    said = [Said(at, "user", f"needle {at}", 1, f"e{at}", 10**18) for at in range(2)]
    one, other = recalled(said, Wanted((), (), ("needle",)), most=1).supplements
    assert "Date: unknown" in one.text
    assert "#1 user : needle 1" in other.text


def test_further_matches_share_quotations_as_short_lines() -> None:
    said = [Said(at, "user", f"needle number {at} " + "hay " * 200, 1, f"e{at}", 86_400_000) for at in range(60)]
    wanted = Wanted((), (), ("needle",))
    found = recalled(said, wanted, most=2, room=6_000)
    alone, shared = found.supplements[:2], found.supplements[2:]
    assert [len(item.sources) for item in alone] == [1, 1]
    assert all(len(item.sources) > 10 and item.tokens < 1_700 for item in shared[:-1])
    assert sum(item.tokens for item in found.supplements) <= 6_000
    assert "#2 user 1970-01-02: needle number 2 hay" in "".join(item.text for item in shared)
    assert sum(len(item.sources) for item in found.supplements) == 60
    assert len({source for item in found.supplements for source in item.sources}) == 60


def test_accents_do_not_hide_a_word_and_ideographs_stand_alone() -> None:
    said = [Said(0, "user", "il caffè è pronto", 1, "e0"), Said(1, "user", "数据库配置文件", 1, "e1")]
    assert recalled(said, Wanted((), (), ("caffe",)), most=2).candidates == 1
    assert recalled(said, Wanted((), (), ("配置",)), most=2).candidates == 1


def test_nothing_is_looked_for_without_terms() -> None:
    assert ids(Wanted()) == []


def test_a_long_text_is_cut_around_the_match() -> None:
    long = [Said(0, "result", "x " * 5_000 + "needle_name" + " y" * 5_000, 1, "e0", 1)]
    wanted = Wanted(("needle_name",), (), ("needle_name",))
    (made,) = recalled(long, wanted, most=1, room=600).supplements
    assert made.tokens <= 600
    assert "needle_name" in made.text
    assert made.text.count("…") == 2
    assert made.text.startswith(EVIDENCE.header)
    assert made.text.endswith(EVIDENCE.footer)


def test_no_quotation_holds_more_than_six_thousand_characters() -> None:
    long = [Said(0, "result", "x " * 9_000 + "needle_name" + " y" * 9_000, 1, "e0", 1)]
    (made, *_) = recalled(long, Wanted(("needle_name",), (), ("needle_name",)), most=1, room=90_000).supplements
    content = next(line for line in made.text.split("\n") if line.startswith("Quoted content JSON: "))
    assert len(json.loads(content.partition(": ")[2]).strip("…")) == 6_000


def test_a_room_too_small_for_any_excerpt_gets_none() -> None:
    assert ids(room=60) == []


def test_the_reason_for_records_holds_no_word_of_the_text() -> None:
    found = recalled(HISTORY, WANTED)
    assert found.supplements
    assert all("pars" not in item.reason for item in found.supplements)


def test_what_was_noted_in_other_calls_changes_no_quotation() -> None:
    long = [Said(at, "user", f"{'before ' * 400}parser {at}{' behind' * 900}", 1, f"e{at}", at) for at in range(4)]
    wanted = Wanted((), (), ("parser",))
    notes = Notes()
    for most, room in ((12, 5_000), (12, 2_000), (2, 900), (12, 1_200), (12, 5_000)):
        found = recall(ranked(notes.matching(long, wanted, None)), notes, most=most, room=room, cost=count)
        assert found == recalled(long, wanted, most=most, room=room)
    changed = [msgspec.structs.replace(said, text=f"[ds4:internal]another parser {said.seq}") for said in long]
    found = recall(ranked(notes.matching(changed, wanted, None)), notes, most=12, room=5_000, cost=count)
    assert found == recalled(changed, wanted)
    assert {one.level for one in found.supplements} == {"internal"}
