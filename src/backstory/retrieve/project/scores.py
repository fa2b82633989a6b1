"""Scores files and their chunks for a request: text, path, history, recency and names, added as shares.

A share is that of the best file; of text, path and history it is that of a good match where even the best is a poor
one. Where the weights come from is told in docs/internals/project.md. Tests and documents count less unless the request
speaks of them, for a request to change something seldom means them first. Pure: facts in, scores out. Ties are broken
by path.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import add

import msgspec

from backstory.retrieve.project.words import Word

K1 = 1.2
B = 0.75
PATH_TIMES = 4
CHUNK_DECAY = 0.7
TOP_CHUNKS = 5
TEXT_SHARE = 0.4
# Two words of a request that follow each other in a file add so much of what the rarer one is worth.
PAIR_SHARE = 0.4
PATH_SHARE, HISTORY_SHARE, RECENCY_SHARE, NAMED_SHARE = 0.3, 0.3, 0.4, 0.1
# What earns a whole share, in words that only one file, its path, or one commit message, holds. Less earns less,
# however poor all others are.
FULL_CHUNKS, FULL_TEXT, FULL_PATH, FULL_HISTORY = 1.9, 1.25, 0.5, 2.0
# What the last commits touched adds up to so much where words say nothing, and nothing where they say all of this.
LATEST_SHARE, FULL_WORDS = 0.6, 1.75
TEST_PRIOR, OTHER_PRIOR = 0.3, 0.2
# Whoever speaks of tests or documents mostly wants code changed along with them.
SPOKEN_PRIOR = 0.6
_TEST = re.compile(
    r"(?:^|/)(?:(?:\w+[_-])?tests?|testing|test[_-]?(?:data|utils?|helpers?)|__(?:tests|mocks|fixtures)__|specs?|fixtures|e2e|"
    r"benchmarks?|benches|mocks?)/|"
    r"(?:^|/)(?:test_[^/]*|tests\.\w+|conftest\.py|[^/]*[._-](?:test|tests|spec|mock)\.\w+|[^/]*Tests?\.\w+)$"
)
_OTHER_FOLDER = re.compile(
    r"(?:^|/)(?:docs?|documentation|examples?|samples?|\.github|_?vendor(?:ed)?|third_party|changelogs?|translations?|locales?)/"
)
_CODE = re.compile(
    r"\.(?:py|pyi|pyx|pxd|ts|tsx|mts|cts|js|jsx|mjs|cjs|coffee|go|rs|java|kt|kts|c|h|cc|cpp|cxx|hpp|hh|hxx|inl|cu|m|mm|cs|vb|rb|"
    r"php|swift|scala|sql|sh|bash|zsh|fish|nu|xsh|ps1|bat|cmd|awk|lua|pl|pm|tcl|ex|exs|erl|hs|elm|clj|cljs|cljc|lisp|el|scm|rkt|"
    r"dart|r|jl|f90|zig|nim|cr|d|gd|ml|mli|fs|fsx|groovy|gradle|vue|svelte|astro|proto|thrift|graphql|gql|sol|s|asm|v|sv|vhd|"
    r"glsl|wgsl|cmake|bzl|nix|vim|tf|html|css|scss|sass|less)$",
    re.IGNORECASE,
)


class Signals(msgspec.Struct):
    """What is known of one candidate file before scores are put together.

    `gains` is what each word adds at best, then each pair of words that stand side by side in the request.
    """

    id: int
    path: str
    stems: list[str]
    chunks: list[float] = msgspec.field(default_factory=list)
    gains: list[float] = msgspec.field(default_factory=list)
    path_score: float = 0.0
    history: float = 0.0
    recency: float = 0.0
    latest: float = 0.0
    named: int = 0
    along: float = 0.0
    tier: int = 0
    bonus: float = 0.0
    reasons: list[str] = msgspec.field(default_factory=list)


@lru_cache(maxsize=20_000)
def prior(path: str, *, tests: bool, documents: bool) -> float:
    """How likely a file of this path is meant at all; `tests` and `documents` say that the request speaks of them."""
    if _TEST.search(path):
        return SPOKEN_PRIOR if tests else TEST_PRIOR
    if _OTHER_FOLDER.search(path) or not _CODE.search(path):
        return SPOKEN_PRIOR if documents else OTHER_PRIOR
    return 1.0


def is_test(path: str) -> bool:
    """Whether a path is one of tests."""
    return prior(path, tests=False, documents=False) == TEST_PRIOR


def is_code(path: str) -> bool:
    """Whether a path is one of code that is neither tests nor documents."""
    return prior(path, tests=False, documents=False) == 1.0


def idf(docs: int, total: int) -> float:
    """How rare a word is. Unlike FTS5's measure it stays above zero for words of more than half of all files."""
    return math.log1p((max(0, total - docs) + 0.5) / (docs + 0.5))


def chunk_scores(
    weights: Sequence[float],
    path_counts: Mapping[int, int],
    positions: Sequence[Sequence[int]],
    cuts: Sequence[int],
    average: float,
) -> tuple[list[float], list[float]]:
    """BM25 of each chunk of a file, and what each word, or pair of words, adds to the best chunk of it.

    `weights` are idf times weight per word or pair; `positions` (token positions in the body) stand in the order of
    `weights`, `path_counts` by place in it; `cuts` are the positions at which chunks end.
    """
    scores = [0.0] * len(cuts)
    best = [0.0] * len(weights)
    norms = [K1 * (1 - B + B * (end - begin) / average) for begin, end in zip((0, *cuts), cuts, strict=False)]
    for number, found in enumerate(positions):
        base = PATH_TIMES * path_counts.get(number, 0)
        if not (found or base):
            continue
        scale = weights[number] * (K1 + 1)
        gains = _gains(found, cuts, norms, base, scale)
        if base:
            by_path = [scale * base / (base + norm) for norm in norms]
            for place, gain in gains.items():
                by_path[place] = gain
            scores = list(map(add, scores, by_path))
        else:
            for place, gain in gains.items():
                scores[place] += gain
        best[number] = max(gains.values(), default=0.0)
    return scores, best


def _gains(
    positions: Sequence[int], cuts: Sequence[int], norms: Sequence[float], base: int, scale: float
) -> dict[int, float]:
    """What a word at some ordered positions adds to each chunk in which any of them lies."""
    found: dict[int, float] = {}
    begin, place, count = 0, 0, len(positions)
    while begin < count:
        place = bisect_left(cuts, positions[begin], place)
        if place == len(cuts):
            break
        cut, end = cuts[place], begin + 1
        if end < count and positions[end] <= cut:
            end = bisect_right(positions, cut, end)
        times = end - begin + base
        found[place] = scale * times / (times + norms[place])
        begin = end
    return found


def text_score(chunks: Iterable[float]) -> float:
    """A file's score from its chunks: the five best, each counting 0.7 of the one before."""
    best = sorted(chunks, reverse=True)[:TOP_CHUNKS]
    return sum(score * CHUNK_DECAY**place for place, score in enumerate(best))


def path_gains(words: Iterable[Word], total: int) -> dict[str, float]:
    """What each word is worth where it stands in a path, by its stem."""
    return {word.phrases[0]: word.weight * idf(word.path_docs, total) for word in words if word.path_docs}


def path_score(gains: Mapping[str, float], stems: Collection[str]) -> float:
    """How rare the words are that stand in a path, over the square root of the path's length."""
    found = sum(gain for stem, gain in gains.items() if stem in stems)
    return found / math.sqrt(max(1, len(stems)))


def combine(
    signals: Sequence[Signals], *, files: int, commits: int, tests: bool, documents: bool
) -> list[tuple[Signals, float]]:
    """The final scores of candidates among so many files and commits, best first: exact tiers before everything else.

    Text counts three times: the five best chunks, the best one, and each word in the chunk where it says most. The
    less its words say, the more count the last commits.
    """
    priors = [prior(item.path, tests=tests, documents=documents) for item in signals]
    rarest = math.log1p(files)
    words = [sum(item.gains) for item in signals]
    said = max((value * weight for value, weight in zip(words, priors, strict=True)), default=0.0)
    vague = max(0.0, 1 - said / (FULL_WORDS * rarest))
    shares = (
        (TEXT_SHARE, FULL_CHUNKS * rarest, [text_score(item.chunks) for item in signals]),
        (TEXT_SHARE, FULL_TEXT * rarest, [max(item.chunks, default=0.0) for item in signals]),
        (TEXT_SHARE, FULL_TEXT * rarest, words),
        (PATH_SHARE, FULL_PATH * rarest, [item.path_score for item in signals]),
        (HISTORY_SHARE, FULL_HISTORY * math.log1p(commits), [item.history for item in signals]),
        (RECENCY_SHARE, 0.0, [item.recency for item in signals]),
        (LATEST_SHARE * vague, 0.0, [item.latest for item in signals]),
        (NAMED_SHARE, 0.0, [float(item.named) for item in signals]),
    )
    totals = [item.bonus for item in signals]
    for share, full, values in shares:
        weighted = [value * weight for value, weight in zip(values, priors, strict=True)]
        most = max(full, *weighted, 0.0)
        if most > 0:
            totals = [total + share * value / most for total, value in zip(totals, weighted, strict=True)]
    return best_first(zip(signals, totals, strict=True))


def best_first(scored: Iterable[tuple[Signals, float]]) -> list[tuple[Signals, float]]:
    """Files in order of their scores, those of a higher tier before all others."""
    return sorted(scored, key=lambda pair: (-pair[0].tier, -round(pair[1], 9), pair[0].path))


def answers(item: Signals) -> bool:
    """Whether anything of a file has to do with the request; that it changed of late is no answer."""
    told = any(item.gains) or item.path_score or item.history or item.along
    return bool(told or item.named or item.bonus or item.tier)
