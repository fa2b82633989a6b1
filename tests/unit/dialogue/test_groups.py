"""Atomic groups: what travels together."""

import pytest

from backstory.dialogue.groups import Breach, Exchange, breaches, exchanges, groups
from tests.unit.dialogue.drawing import draw

TALK = draw("""
    y a -
    p b -
    c c - calls=1,2
    r d - calls=1
    p e -
    r f - calls=2
    m g -
    s h -
    x i -
    p j -
    c k - calls=1
    r l - calls=1
    r m - calls=7
""")


def test_a_result_binds_to_the_latest_call_before_it() -> None:
    bound = exchanges(TALK)
    assert bound.calls == (Exchange(2, "1", (3,)), Exchange(2, "2", (5,)), Exchange(10, "1", (11,)))
    assert bound.orphans == ((12, "7"),)


def test_an_orphan_never_binds_to_a_later_call() -> None:
    bound = exchanges(
        draw("""
            r a - calls=1
            c b - calls=1
            r c - calls=1
            r d - calls=1
        """)
    )
    assert bound.orphans == ((0, "1"),)
    assert bound.calls == (Exchange(1, "1", (2, 3)),)


def test_an_exchange_across_a_prompt_joins_both_turns() -> None:
    found = groups(TALK)
    assert [(group.id, group.kind, group.members) for group in found] == [
        ("group:0-0", "prefix", (0,)),
        ("group:1-6", "turn", (1, 2, 3, 4, 5, 6)),
        ("group:7-7", "summary", (7,)),
        ("group:8-8", "prefix", (8,)),
        ("group:9-12", "turn", (9, 10, 11, 12)),
    ]


def test_a_summary_between_call_and_result_stays_out_of_their_group() -> None:
    found = groups(
        draw("""
            c a - calls=1
            s b -
            r c - calls=1
            s d -
        """)
    )
    assert [(group.kind, group.members) for group in found] == [
        ("prefix", (0, 2)),
        ("summary", (1,)),
        ("summary", (3,)),
    ]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (range(12), []),
        ((2, 3), [Breach("torn", 2, "2")]),
        ((3, 5), [Breach("orphan", 3, "1"), Breach("orphan", 5, "2")]),
        ((10, 11, 12), [Breach("orphan", 12, "7")]),
        ((1, 6, 7), []),
    ],
)
def test_a_choice_is_checked_by_occurrence(chosen: tuple[int, ...], expected: list[Breach]) -> None:
    assert breaches(exchanges(TALK), chosen) == expected


def test_a_call_without_a_result_may_not_be_chosen() -> None:
    assert breaches(exchanges(draw("c a - calls=1")), [0]) == [Breach("unanswered", 0, "1")]
