"""The largest of many numbers, in order."""

from hypothesis import given
from hypothesis import strategies as st

from backstory.plan.largest import largest

NUMBERS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]) | st.floats(0, 100), max_size=400)


@given(NUMBERS, st.integers(0, 300))
def test_all_above_zero_come_in_order_whatever_was_expected(values: list[float], about: int) -> None:
    every = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    assert list(largest(values, about)) == [at for at in every if values[at] > 0]
