"""An entry is lent the words that entries beside it hold and it does not."""

import pytest

from backstory.retrieve import beside
from backstory.retrieve.rank import Row, RowScore


def rows(*given: tuple[int, int, tuple[float, ...]]) -> dict[int, Row]:
    """Rows by number from (session, seq, parts of the score)."""
    return {at: Row(session, seq, RowScore(sum(parts), 0, parts)) for at, (session, seq, parts) in enumerate(given)}


def test_words_are_lent_more_by_what_is_near_and_by_what_comes_before() -> None:
    for distance in (-3, -2, -1, 1, 2, 3):
        lent = beside.lent(rows((1, 5, (1.0, 0.0)), (1, 5 + distance, (0.0, 8.0))))[0]
        assert lent == dict(beside.STEPS).get(distance, 0.0) * 8
    before, after = dict(beside.STEPS)[-1], dict(beside.STEPS)[1]
    assert before > after > 0


def test_a_word_that_an_entry_holds_itself_is_not_lent_to_it() -> None:
    same = beside.lent(rows((1, 5, (4.0, 0.0)), (1, 6, (4.0, 0.0))))
    assert same == {0: 0.0, 1: 0.0}
    more = beside.lent(rows((1, 5, (8.0, 0.0)), (1, 6, (1.0, 0.0))))
    assert more[1] == 8.0 * dict(beside.STEPS)[-1] - 1.0


def test_a_word_is_lent_once_by_the_one_who_lends_most() -> None:
    lent = beside.lent(rows((1, 5, (0.0, 8.0)), (1, 6, (1.0, 0.0)), (1, 7, (0.0, 8.0)), (1, 4, (0.0, 8.0))))
    assert lent[1] == 8.0 * dict(beside.STEPS)[-1]


def test_other_sessions_lend_nothing() -> None:
    assert beside.lent(rows((1, 5, (1.0, 0.0)), (2, 6, (0.0, 8.0)))) == {0: 0.0, 1: 0.0}


def test_a_question_with_all_words_stays_above_what_it_lends_to() -> None:
    found = rows((1, 5, (3.0, 3.0, 3.0)), (1, 6, (3.0, 0.0, 0.0)))
    lent = beside.lent(found)
    assert found[0].score.entry + lent[0] > found[1].score.entry + lent[1]


def test_places_beside_the_best_rows_are_lent_words_too() -> None:
    found = rows((1, 0, (4.0, 0.0)), (1, 2, (0.0, 4.0)), (2, 9, (1.0, 1.0)))
    places = beside.silent(found, {0: 2.0, 1: 2.0, 2: 1.0})
    assert {place for place in places if place[0] == 1} == {(1, 1), (1, 3), (1, 4)}
    assert places[1, 1] == 4.0 * 0.5 + 4.0 * 0.25
    assert {seq for session, seq in places if session == 2} == {7, 8, 10, 11}


@pytest.mark.parametrize("tied", [False, True])
def test_few_rows_are_looked_around_and_equal_ones_all_or_none(*, tied: bool) -> None:
    found = rows(*[(at, 5, (1.0,)) for at in range(30)])
    places = beside.silent(found, {at: 1.0 if tied else float(at) for at in range(30)})
    assert {session for session, _ in places} == (set() if tied else set(range(30 - beside.BEST, 30)))
