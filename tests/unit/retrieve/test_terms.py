"""Which words of a query are looked up, and how many rows are taken for them."""

import pytest

from backstory.retrieve import terms
from backstory.retrieve.terms import Choice, Reach, Term


def texts(chosen: tuple[Term, ...]) -> list[str]:
    return [term.text for term in chosen]


def test_rare_terms_select_until_their_rows_fill_the_budget() -> None:
    choice = terms.choose({"common": 5_000, "rare": 10, "none": 0, "middle": 700}, range(1, 10_001))
    assert choice is not None
    assert (texts(choice.rare), texts(choice.common), choice.floor) == (["rare", "middle"], ["common"], 0)


def test_nothing_is_chosen_when_no_row_holds_a_word() -> None:
    assert terms.choose({"none": 0}, range(1, 11)) is None


@pytest.mark.parametrize("first", [1, 5_000_001])
def test_a_common_rarest_term_is_looked_up_among_the_newest_rows(first: int) -> None:
    choice = terms.choose({"common": 100_000}, range(first, first + 1_000_000), short=True)
    assert choice is not None
    assert (texts(choice.rare), choice.floor) == (["common"], first - 1 + 985_000)


def test_looking_among_the_newest_begins_beyond_twice_the_budget() -> None:
    ids = range(1, 1_001)
    whole, part = (terms.choose({"w": docs}, ids, short=True) for docs in (3_000, 3_001))
    assert whole is not None
    assert part is not None
    assert (whole.floor, part.floor) == (0, 500)


def test_common_terms_rank_only_while_their_rows_are_few_enough() -> None:
    rows = {"rare": 1, "a": 8_000, "b": 9_000, "c": 14_000}
    for short, common in ((True, ["a"]), (False, ["a", "b"])):
        choice = terms.choose(rows, range(1, 1_000_001), short=short)
        assert choice is not None
        assert (texts(choice.rare), texts(choice.common)) == (["rare"], common)


@pytest.mark.parametrize(("typed", "tokens"), [("retry", ["retry"]), ("why did we drop it", ["drop"])])
def test_a_few_words_are_no_question(typed: str, tokens: list[str]) -> None:
    assert terms.few(typed, tokens)


@pytest.mark.parametrize(
    ("typed", "tokens"),
    [
        ("why did we ever drop it", ["drop"]),
        ("getUserNameOfSomeOtherPlace", ["get", "user", "name", "of", "some", "other", "place"]),
    ],
)
def test_many_words_or_parts_of_a_name_are_not_few(typed: str, tokens: list[str]) -> None:
    assert not terms.few(typed, tokens)


def test_few_rows_are_taken_whole_and_many_are_ranked() -> None:
    assert Choice((Term("a", 200),), ()).reach(120) == Reach(240, ranked=False)
    assert Choice((Term("a", 200), Term("b", 200)), ()).reach(120) == Reach(120)


def test_of_one_common_term_the_newest_rows_are_taken() -> None:
    assert Choice((Term("a", 9_000),), (), floor=5).reach(120) == Reach(240, ranked=False)
    assert Choice((Term("a", 9_000),), (Term("b", 9_500),), floor=5).reach(120) == Reach(120)


def test_numbers_of_phrases_follow_the_query() -> None:
    choice = Choice((Term("x", 1), Term("y", 2)), (Term("z", 9),))
    match = terms.word_match(choice, ["z", "x", "other", "y", "x"])
    assert match.expression == '("x" OR "y") OR (("x" OR "y") AND ("z"))'
    assert (match.phrases, match.pairs) == ((4, 0, 1), (0,))


def test_stand_ins_are_no_neighbours() -> None:
    choice = Choice((Term("x", 1), Term("y", 2), Term("z", 3)), ())
    assert terms.word_match(choice, ["x", "y", "z"]).pairs == (0, 1)
    assert terms.word_match(choice, ["x", "y", "z"], [("z",)]).pairs == (0,)
