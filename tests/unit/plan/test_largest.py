"""The largest of many numbers, in order."""

from hypothesis import given
from hypothesis import strategies as st

from backstory.plan.evidence.largest import Largest, best, rank

NUMBERS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]) | st.floats(0, 100), max_size=400)


@given(NUMBERS, st.integers(0, 300))
def test_all_above_zero_come_in_order_whatever_was_expected(values: list[float], about: int) -> None:
    every = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    order = Largest(values, about)
    for _ in range(2):
        assert list(order) == [at for at in every if values[at] > 0]


@given(NUMBERS, st.integers(1, 40))
def test_the_best_few_are_the_first_of_all(values: list[float], most: int) -> None:
    assert best(values, most) == list(Largest(values, most))[:most]


@given(NUMBERS.filter(len), st.data())
def test_a_rank_is_a_place_in_the_order_of_all(values: list[float], data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(values)))
    assert rank(values, place) == sorted(values, reverse=True)[place - 1]
