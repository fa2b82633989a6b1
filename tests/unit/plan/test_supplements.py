"""Which supplements a call gets when there is not room for all."""

import pytest

from backstory.plan import supplements
from backstory.records.budget import Budget
from backstory.records.plan import Supplement

BUDGET = Budget(
    window=32_000, reserve=0, margin=0, hard=32_000, soft=32_000, target=32_000, active=32_000, tail=16_000,
    history=16_000, project=20_000, pins=16_000, memory=8_000, summaries=8_000, card=4_000, excerpts=4_000,
)  # fmt: skip


def made(kind: str, tokens: int, number: int = 0) -> Supplement:
    return Supplement(f"{kind}-{number}", kind, "", tokens, ("a source",), score=-number)


def chosen(items: list[Supplement], room: int) -> dict[str, int]:
    """Tokens by kind of what is added."""
    indices, refused = supplements.choose(items, BUDGET, room)
    assert {*indices, *refused} == set(range(len(items)))
    taken: dict[str, int] = {}
    for index in indices:
        taken[items[index].kind] = taken.get(items[index].kind, 0) + items[index].tokens
    assert sum(taken.values()) <= room
    return taken


@pytest.mark.parametrize("room", [1_500, 3_000, 6_000, 12_000])
def test_earlier_messages_leave_project_source_half_of_the_room(room: int) -> None:
    items = [*(made("retrieval", 300, number) for number in range(40)), made("project", 700), made("project", 700, 1)]
    taken = chosen(items, room)
    assert taken["project"] >= min(1_400, 700 * (room // 2 // 700))
    assert taken["retrieval"] >= min(12_000, room - taken["project"] - 300)


def test_earlier_messages_may_use_what_no_project_source_needs() -> None:
    assert chosen([made("retrieval", 300, number) for number in range(40)], 3_000) == {"retrieval": 3_000}
    assert chosen([*(made("retrieval", 300, number) for number in range(40)), made("project", 200)], 3_000) == {
        "retrieval": 2_700,
        "project": 200,
    }


def test_memory_and_card_come_first() -> None:
    items = [made("project", 2_000), made("retrieval", 2_000), made("card", 2_000), made("memory", 2_000)]
    assert chosen(items, 4_000) == {"memory": 2_000, "card": 2_000}
