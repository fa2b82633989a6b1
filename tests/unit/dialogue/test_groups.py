"""Atomic groups: what travels together."""

from backstory.dialogue.groups import Grouping, groups
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


def test_a_result_joins_only_the_latest_call_of_its_id_before_it() -> None:
    found = groups(
        draw("""
            p a -
            r b - calls=1
            p c -
            c d - calls=1
            p e -
            c f - calls=1
            p g -
            r h - calls=1
        """)
    )
    assert [group.members for group in found] == [(0, 1), (2, 3), (4, 5, 6, 7)]


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


def test_groups_are_the_same_however_they_grew() -> None:
    grown = Grouping()
    for count, node in enumerate(TALK, 1):
        grown.take([node])
        assert grown.groups() == groups(TALK[:count])
