"""Scores of files and chunks: priors, shares, what changes along, and what few words leave to the last commits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.retrieve.project.companions import along
from backstory.retrieve.project.scores import (
    Signals,
    chunk_scores,
    combine,
    idf,
    is_code,
    is_test,
    prior,
    text_score,
)


def test_priors_follow_the_request() -> None:
    assert prior("src/a.py", tests=False, documents=False) == 1.0
    assert prior("tests/test_a.py", tests=False, documents=False) < 1.0
    assert prior("tests/test_a.py", tests=False, documents=False) < prior("tests/a.py", tests=True, documents=False) < 1
    assert prior("web/a.spec.ts", tests=False, documents=False) < 1.0
    assert prior("docs/a.md", tests=False, documents=False) < prior("docs/a.md", tests=False, documents=True)
    for path in ("src/contest.py", "src/latest/a.py", "src/testimony/a.py", "src/inspect/a.py", "src/contests.py"):
        assert prior(path, tests=False, documents=False) == 1.0, path
    for path in ("cmd/integration_test/env.go", "e2e-tests/run.ts", "src/test_utils/a.py", "lib/__mocks__/a.js"):
        assert prior(path, tests=False, documents=False) < 1.0, path
    for path in ("src/parse/tests.rs", "shop/tests.py", "benches/parse.rs"):
        assert is_test(path), path


@pytest.mark.parametrize(
    "name", ["init.fish", "init.nu", "run.bat", "core.cljs", "kernel.cu", "rules.bzl", "page.astro"]
)
def test_a_language_is_code_however_rare(name: str) -> None:
    assert is_code(f"src/{name}")
    assert not is_code(f"docs/{name}")


def test_what_changes_along_with_the_best_files() -> None:
    rows = [(1, age, 2, file) for age in range(4) for file in (1, 2)] + [(1, 9, 2, 1), (1, 9, 2, 3)]
    found = along({1: 1.0, 4: 1.0}, rows)
    assert 0 < found[3] < found[2] < 0.5
    assert set(found) == {2, 3}
    crowd = along({1: 1.0}, [(1, 0, 17, 1), (1, 0, 17, 2)])
    pair = along({1: 1.0}, [(1, 0, 2, 1), (1, 0, 2, 2)])
    assert crowd[2] == pytest.approx(pair[2] / 4)
    assert pair[2] == pytest.approx(0.5)
    assert along({}, []) == {}


def test_chunk_scores_count_positions_between_cuts() -> None:
    scores, best = chunk_scores([1.0, 2.0], {}, [[1, 2, 12], [25]], [10, 20, 30], 10.0)
    assert scores[2] > scores[0] > scores[1] > 0
    assert best[1] == scores[2]
    raised, _ = chunk_scores([1.0, 2.0], {0: 1}, [[1, 2, 12], [25]], [10, 20, 30], 10.0)
    assert all(after > before for after, before in zip(raised, scores, strict=True))


@given(
    st.lists(st.integers(0, 99), max_size=60, unique=True),
    st.lists(st.integers(1, 100), min_size=1, max_size=30, unique=True),
)
def test_both_ways_of_counting_agree(positions: list[int], cuts: list[int]) -> None:
    positions.sort()
    cuts.sort()
    scores, _ = chunk_scores([1.0], {}, [positions], cuts, 10.0)
    counts = [sum(begin < at <= end for at in positions) for begin, end in zip([-1, *cuts], cuts, strict=False)]
    assert [score > 0 for score in scores] == [count > 0 for count in counts]


def signals(number: int, path: str, *chunks: float, tier: int = 0, history: float = 0.0) -> Signals:
    return Signals(number, path, [], list(chunks), tier=tier, history=history)


def combined(*found: Signals) -> list[tuple[str, float]]:
    ordered = combine(found, files=100, commits=100, tests=False, documents=False)
    return [(item.path, score) for item, score in ordered]


def test_scores_add_up_and_ties_break_by_path() -> None:
    ordered = combined(signals(1, "b.py", 1.0), signals(2, "a.py", 1.0), signals(3, "c.py", 2.0))
    assert [path for path, _ in ordered] == ["c.py", "a.py", "b.py"]
    ordered = combined(signals(1, "b.py", 9.0), signals(2, "a.py", 1.0, tier=1))
    assert ordered[0][0] == "a.py"
    assert combined() == []
    assert text_score([1.0] * 9) == pytest.approx(1 + 0.7 + 0.49 + 0.343 + 0.2401)
    assert idf(10, 5) > 0


def test_one_good_chunk_counts_beside_many_fair_ones() -> None:
    spread, best = signals(1, "a.py", *[2.0] * 5), signals(2, "b.py", 5.2)
    assert text_score(spread.chunks) > text_score(best.chunks)
    assert [path for path, _ in combined(spread, best)] == ["b.py", "a.py"]


def test_each_word_counts_in_the_chunk_where_it_says_most() -> None:
    both, one = signals(1, "b.py", 2.0), signals(2, "a.py", 2.0)
    both.gains, one.gains = [1.5, 1.5], [2.0, 0.0]
    assert [path for path, _ in combined(both, one)] == ["b.py", "a.py"]


@pytest.mark.parametrize(("scale", "first"), [(0.5, "recent.py"), (20.0, "match.py")])
def test_where_text_says_little_what_changed_of_late_goes_first(scale: float, first: str) -> None:
    match, recent = signals(1, "match.py", scale), signals(2, "recent.py", 0.5 * scale)
    match.gains, recent.gains = [scale], [0.5 * scale]
    recent.recency = 1.0
    assert combined(match, recent)[0][0] == first


@pytest.mark.parametrize(("said", "first"), [(1.0, "last.py"), (10.0, "match.py")])
def test_the_last_commits_count_where_words_say_little(said: float, first: str) -> None:
    match, last = signals(1, "match.py", 1.0), signals(2, "last.py", 1.0)
    match.gains, last.gains = [said], [0.9 * said]
    match.latest, last.latest = 0.1, 1.0
    assert combined(match, last)[0][0] == first


def test_commits_that_hardly_match_raise_a_file_less() -> None:
    def gain(history: float) -> float:
        scores = dict(combined(signals(1, "a.py", 1.0, history=history), signals(2, "b.py", 1.0)))
        return scores["a.py"] - scores["b.py"]

    assert 0 < gain(1.0) < gain(5.0) < gain(20.0)
    assert gain(20.0) == pytest.approx(gain(40.0))
