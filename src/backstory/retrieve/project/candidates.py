"""Gathers the files of a project that any signal proposes for a request, each with what its path and name say.

Full text picks them under a bound on postings; history, recency, paths and names bring in files that text alone misses.
Neighbours: `query` and `named` before, `measure` and `scores` after.
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import chain, islice

from backstory.retrieve.project.named import STEM, Named
from backstory.retrieve.project.query import SourceQuery
from backstory.retrieve.project.scope import bonus
from backstory.retrieve.project.scores import Signals, idf, path_gains, path_score, prior
from backstory.retrieve.project.words import rare_in_paths, selecting
from backstory.store.project.search import ProjectSearch

MOST_SELECTING = 32
FETCHED = 200
CANDIDATES = 60
LARGE_CANDIDATES = 16
FROM_PATHS = 20
PATHS_COUNTED = 6
COMMITS = 5
FROM_RECENCY = 20
# Of so many of the last commits each counts half as much as the second after it.
LATEST, LATEST_HALF = 12, 2
# Whoever speaks of it means a method, and hardly ever one in a file of that name.
CONSTRUCTOR = "__init__"


def candidates(
    search: ProjectSearch, query: SourceQuery, named: dict[int, Named]
) -> tuple[dict[int, Signals], list[int]]:
    """Files that any signal proposes, and the ids whose chunks are worth counting."""
    by_text = _by_text(search, query)
    simple = [word.phrases[0] for word in query.words if word.simple]
    in_path = [word.phrases[0] for word in rare_in_paths(query.words, query.postings)]
    by_path = search.in_paths(in_path, FROM_PATHS) if in_path else []
    spoken = [*simple, *query.issues]
    history = search.history(spoken, COMMITS) if spoken else {}
    recent = search.recent(FROM_RECENCY)
    paths = search.paths({*by_text, *by_path, *history, *recent, *named})
    most = LARGE_CANDIDATES if query.large else CANDIDATES
    weighted = {
        row: score * prior(paths[row], tests=query.tests, documents=query.documents)
        for row, score in by_text.items()
        if row in paths
    }
    best = sorted(weighted, key=lambda row: (-weighted[row], paths[row]))[:most]
    kept = {*best, *by_path, *history, *recent, *named} & paths.keys()
    recent |= search.recency(kept)
    gains = path_gains(query.words, query.totals.files)
    signals = {row: _signals(search, query, gains, Signals(row, paths[row], []), named.get(row)) for row in kept}
    for row, item in signals.items():
        item.history = history.get(row, 0.0)
        item.recency = recent.get(row, 0.0)
    for row, age in search.latest(LATEST):
        if row in signals:
            signals[row].latest += 0.5 ** (age / LATEST_HALF)
    return signals, list(dict.fromkeys([*best, *by_path[:PATHS_COUNTED], *named]))


def _signals(
    search: ProjectSearch, query: SourceQuery, gains: Mapping[str, float], item: Signals, named: Named | None
) -> Signals:
    """A candidate with what its path and its name say; `gains` are those of words in paths."""
    base = item.path.rpartition("/")[2].partition(".")[0].lower()
    item.stems = search.path_stems(item.path)
    if base == CONSTRUCTOR:
        item.stems = [stem for stem in item.stems if stem != CONSTRUCTOR.strip("_")]
    item.path_score = path_score(gains, item.stems)
    if named is not None:
        item.named, item.tier, item.bonus = named.rank, named.tier, named.bonus
        item.reasons.extend(dict.fromkeys(named.reasons))
    if query.scope:
        item.bonus += bonus(item.path, query.scope) * prior(item.path, tests=query.tests, documents=query.documents)
    if not item.named and len(base) > 2 and base in query.spoken and base != CONSTRUCTOR:
        item.named = STEM
    return item


def _by_text(search: ProjectSearch, query: SourceQuery) -> dict[int, float]:
    """Files that hold the rarest words, with a first score: bm25, or in a large project the sum of word weights."""
    chosen = selecting(query.words, query.postings, MOST_SELECTING)
    if not query.large:
        phrases = [phrase for word in chosen for phrase in word.phrases]
        return dict(search.candidates(phrases, FETCHED)) if phrases else {}
    sums: dict[int, float] = {}
    known = sums.get
    sought = [word for word in chosen if word.held is None]
    rows = iter(search.with_phrase(phrase for word in sought for phrase in word.phrases) if sought else ())
    for word in chosen:
        gain = word.weight * idf(word.docs, query.totals.files)
        for row in _united(islice(rows, len(word.phrases))) if word.held is None else word.held:
            sums[row] = known(row, 0.0) + gain
    most = FETCHED // 2
    least = sorted(sums.values(), reverse=True)[:most][-1] if sums else 0.0
    best = [row for row, score in sums.items() if score > least]
    tied = [row for row, score in sums.items() if score == least]
    if len(best) + len(tied) > most:
        tied = search.first_of(tied, most - len(best))
    return {row: sums[row] for row in (*best, *tied)}


def _united(spellings: Iterable[list[int]]) -> Collection[int]:
    """The files that hold any spelling of a word, from those of each."""
    first, *others = spellings
    return {*first, *chain.from_iterable(others)} if others else first
