"""Which ranges of the best files a card shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.records.project import Snippet
from backstory.retrieve.project.cards import RANGE_TOKENS, cards
from backstory.retrieve.project.ranking import RankedSource
from backstory.store.project.search import FileFact


def source(
    path: str, sizes: list[int], scores: list[float], focus: tuple[int, ...] = (), score: float = 1.0
) -> RankedSource:
    chunks = [Snippet(1 + 10 * number, 10 + 10 * number, tokens=size) for number, size in enumerate(sizes)]
    return RankedSource(
        FileFact(1, path, f"hash of {path}", modified=False, tracked=True, language=None),
        score,
        "",
        chunks,
        scores,
        focus,
    )


def test_cards_take_the_best_ranges_in_line_order() -> None:
    (card,) = cards([source("a.py", [100, 100, 100, 100], [0.1, 3.0, 0.0, 2.0])], 300)
    assert [(part.start, part.end, part.chunk) for part in card.ranges] == [(11, 20, 1), (31, 40, 3)]
    (card,) = cards([source("a.py", [100, 100], [1.0, 2.0])], 1000)
    assert [(part.start, part.end, part.chunk) for part in card.ranges] == [(1, 20, 1)]
    (card,) = cards([source("a.py", [100, 100], [1.0, 2.0], (0,))], 150)
    assert [(part.start, part.end) for part in card.ranges] == [(1, 10)]


def shown(*scores: float) -> list[int]:
    """How many chunks of equal files with such scores fit into one budget."""
    ranked = [source(f"{number}.py", [100] * 40, [1.0] * 40, score=score) for number, score in enumerate(scores)]
    return [sum(part.end - part.start + 1 for part in card.ranges) // 10 for card in cards(ranked, 4000)]


def test_files_that_match_far_better_are_shown_at_greater_length() -> None:
    alike, apart = shown(1.0, 1.0), shown(1.0, 0.4)
    assert apart[0] > alike[0] > alike[1] > apart[1] > 0
    assert sum(apart) == pytest.approx(sum(alike), abs=1)
    # What a request names may score less than what comes after it.
    assert shown(0.2, 1.0) == alike
    assert shown(0.0, 0.0) == alike


def test_where_a_file_begins_comes_before_what_hardly_matches() -> None:
    (card,) = cards([source("a.py", [100] * 4, [0.0, 0.1, 3.0, 0.1])], 300)
    assert [(part.start, part.end) for part in card.ranges] == [(1, 10), (21, 30)]
    (card,) = cards([source("a.py", [100] * 4, [0.0, 0.1, 3.0, 1.0])], 300)
    assert [(part.start, part.end) for part in card.ranges] == [(21, 40)]


@given(
    st.lists(
        st.tuples(st.lists(st.tuples(st.integers(1, 400), st.floats(0, 9)), min_size=1, max_size=12), st.floats(0, 3)),
        max_size=12,
    ),
    st.integers(1, 20_000),
    st.integers(1, 10),
)
def test_cards_never_exceed_the_budget(
    files: list[tuple[list[tuple[int, float]], float]], budget: int, most: int
) -> None:
    ranked = [
        source(f"{number}.py", [size for size, _ in rows], [part for _, part in rows], score=score)
        for number, (rows, score) in enumerate(files)
    ]
    found = cards(ranked, budget, most)
    assert len(found) <= most
    spent = sum(
        RANGE_TOKENS + sum(card.source.chunks[(line - 1) // 10].tokens for line in range(part.start, part.end, 10))
        for card in found
        for part in card.ranges
    )
    assert spent <= budget
    for card in found:
        assert all(before.end + 1 < after.start for before, after in zip(card.ranges, card.ranges[1:], strict=False))
