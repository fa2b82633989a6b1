"""The edits of a plan, carried out, always give what the plan says."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.engine.host.edits import Edit, Sent, edits, repeated

plans = st.integers(0, 30).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.lists(st.tuples(st.sampled_from("kdir"), st.text(max_size=3)), min_size=count, max_size=count),
        st.lists(st.tuples(st.integers(0, count), st.text(max_size=3)), max_size=4),
    )
)


def carried_out(messages: list[Any], wanted: tuple[Edit, ...]) -> list[Any]:
    """What a host makes of its list."""
    out: list[Any] = []
    left = list(messages)
    for edit in wanted:
        ((kind, value),) = edit.items()
        if kind == "insert":
            out.append(value)
        elif kind == "replace":
            out.append((left.pop(0), value))
        else:
            taken = [left.pop(0) for _ in range(value)]
            out += taken if kind == "keep" else []
    assert left == []
    return out


@given(plans)
def test_edits_say_what_the_plan_says(drawn: tuple[int, list[tuple[str, str]], list[tuple[int, str]]]) -> None:
    count, fates, inserts = drawn
    sent: list[Sent] = []
    expected: list[Any] = []
    for at in range(count + 1):
        for before, text in inserts:
            if before == at:
                sent.append(Sent(None, text))
                expected.append(text)
        if at == count or fates[at][0] == "d":
            continue
        fields = {"content": fates[at][1]} if fates[at][0] == "r" else None
        sent.append(Sent(at, fields=fields))
        expected.append(at if fields is None else (at, fields))
    wanted = edits(count, sent)
    messages = list(range(count))
    assert (messages if wanted is None else carried_out(messages, wanted)) == expected
    if wanted is None:
        assert expected == messages


@given(
    st.lists(st.lists(st.sampled_from([{"keep": 1}, {"insert": "a"}, {"insert": "b"}, {"replace": {"content": "a"}}])))
)
def test_edits_that_were_told_before_are_named_by_number(answers: list[list[Edit]]) -> None:
    held: list[bytes] = []
    known: list[Edit] = []
    for answer in answers:
        short, held = repeated(answer, held)
        told = [known[one["again"]] if "again" in one else one for one in short]
        assert told == answer
        assert all("again" in one for one in short if one in known)
        known = [one for one in told if "keep" not in one]
        assert len(known) == len(held)


@given(plans)
def test_neighbours_of_a_kind_are_one_edit(drawn: tuple[int, list[tuple[str, str]], list[tuple[int, str]]]) -> None:
    count, fates, _ = drawn
    wanted = edits(count, [Sent(at) for at in range(count) if fates[at][0] != "d"]) or ()
    kinds = [next(iter(edit)) for edit in wanted]
    assert all(one != other for one, other in pairwise(kinds))


@pytest.mark.parametrize("positions", [[1, 0], [0, 0], [3], [-1]])
def test_a_plan_that_does_not_fit_the_list_is_refused(positions: list[int]) -> None:
    with pytest.raises(ValueError, match="position"):
        edits(3, [Sent(at) for at in positions])
