"""How files are cut."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from backstory.project.chunk import LONGEST, MOST_CHUNKS, STEP, WINDOW, chunks
from backstory.records.project import Symbol


def at(line: int, name: str = "f", kind: str = "function") -> Symbol:
    return Symbol(name, name, kind, line, line + 1)


def spans(lines: list[str], symbols: list[Symbol]) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in chunks(lines, symbols)]


def test_windows_overlap_where_nothing_is_declared() -> None:
    assert spans(["x"] * 200, []) == [(1, WINDOW), (1 + STEP, STEP + WINDOW), (1 + 2 * STEP, 200)]
    assert spans(["x"] * LONGEST, []) == [(1, LONGEST)]
    assert spans(["x", "", " "], []) == [(1, 1)]
    assert spans([], []) == []


def test_chunks_begin_at_declarations_with_what_stands_above() -> None:
    lines = ["x"] * 18 + ["# about f", "@decorated", "def f():"] + ["    y"] * 20
    assert spans(lines, [at(21)]) == [(1, 18), (19, 41)]


def test_short_declarations_share_a_chunk() -> None:
    found = chunks(["x"] * 60, [at(1, "a"), at(5, "b"), at(9, "c"), at(30, "d")])
    assert [(chunk.start, chunk.end, chunk.symbol) for chunk in found] == [(1, 29, "a"), (30, 60, "d")]


def test_deep_and_plain_names_start_nothing() -> None:
    lines = ["x"] * 20 + ["        def f(): pass"] + ["x"] * 20
    assert spans(lines, [at(21)]) == [(1, 41)]
    lines[20] = "     def f(): pass"
    assert spans(lines, [at(21)]) == [(1, 41)]
    lines[20] = "    def f(): pass"
    assert spans(lines, [at(21)]) == [(1, 20), (21, 41)]
    assert spans(["x"] * 41, [at(21, "LIMIT", "variable")]) == [(1, 41)]


def test_a_chunk_that_starts_no_declaration_has_the_one_around_it() -> None:
    around = Symbol("Long", "Long", "class", 1, 300)
    found = chunks(["x"] * 300, [around, at(150, "inner")])
    named = [(chunk.start, chunk.symbol) for chunk in found]
    assert named == [(1, "Long"), (69, "Long"), (137, "Long"), (150, "inner"), (218, "Long"), (286, "Long")]


@given(st.integers(0, 20_000), st.lists(st.integers(1, 20_000), max_size=40))
def test_chunks_are_bounded_ordered_and_cover_the_beginning(count: int, starts: list[int]) -> None:
    symbols = [at(line) for line in sorted(set(starts)) if line <= count]
    found = chunks(["x"] * count, symbols)
    assert len(found) <= MOST_CHUNKS
    assert all(1 <= chunk.start <= chunk.end <= count and chunk.end - chunk.start < LONGEST for chunk in found)
    assert all(before.start < after.start <= before.end + 1 for before, after in pairwise(found))
    if count:
        assert found[0].start == 1
        assert found[-1].end == count or len(found) == MOST_CHUNKS
