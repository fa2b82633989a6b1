"""Where each kind of supplement stands, for each placement."""

import pytest

from backstory.plan.placement import ORDER, PLACEMENTS, arrange
from backstory.records.plan import Supplement

OFFERED = [Supplement(kind, kind, "quoted", 1, ("e",)) for kind in reversed(ORDER)]


def placed(placement: str, *, request: int | None = 3, leading: int = 1, anchor: int | None = None) -> str:
    """Two system messages, a turn before the request (2), the request (3) and its answer (4)."""
    chosen = list(enumerate(OFFERED))
    found = arrange(range(5), leading, request, chosen, placement, anchor)
    return " ".join(OFFERED[index].kind if index is not None else str(position) for position, index in found)


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        ("latest-user", "0 1 2 pin memory card excerpt retrieval project 3 4"),
        ("stable-prefix", "0 1 pin memory card excerpt retrieval project 2 3 4"),
        ("hybrid", "0 1 pin memory project 2 card excerpt retrieval 3 4"),
    ],
)
def test_supplements_keep_their_order_wherever_they_stand(placement: str, expected: str) -> None:
    assert placed(placement, leading=2) == expected


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_without_a_request_nothing_is_added(placement: str) -> None:
    assert placed(placement, request=None) == "0 1 2 3 4"


def test_card_and_excerpts_stay_before_the_request_that_they_were_made_for() -> None:
    assert placed("latest-user", anchor=1) == "0 card excerpt 1 2 pin memory retrieval project 3 4"
    assert placed("hybrid", anchor=1) == "0 pin memory project card excerpt 1 2 retrieval 3 4"
    assert placed("latest-user", anchor=9) == placed("latest-user")
    assert placed("latest-user", anchor=4) == placed("latest-user")
