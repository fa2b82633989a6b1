"""Ranks the files of a project for a request and scores their chunks; others show text, after a look at the file.

Two stages keep it fast: full text over files picks candidates under a bound on postings, then every word of the
request is counted in every chunk of those. History, recency, paths and names bring in files that text alone misses.
Neighbours: `words`, `named` and `scores` before; `tested` and `companions` complete the order,
`reasons` says why, `cards` chooses ranges of what comes out.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, islice

import msgspec

from backstory.records.project import Snippet
from backstory.retrieve.project.companions import with_companions
from backstory.retrieve.project.named import BASENAME, STEM, Named, names
from backstory.retrieve.project.reasons import reason, wordless
from backstory.retrieve.project.scope import ScopedRequest, bonus, scoped
from backstory.retrieve.project.scores import (
    PAIR_SHARE,
    Signals,
    answers,
    chunk_scores,
    combine,
    idf,
    path_gains,
    path_score,
    prior,
)
from backstory.retrieve.project.tested import with_tested
from backstory.retrieve.project.words import (
    MOST_WORDS,
    Word,
    pairs,
    rare_in_paths,
    said,
    selecting,
    specific,
    tickets,
    told,
    wants,
    words,
)
from backstory.retrieve.task import describe, pointing
from backstory.store.project.search import FileFact, Places, ProjectSearch, Totals

SMALL_PROJECT = 1_500
SMALL_POSTINGS = 16_000
POSTINGS = 1_200
POSTINGS_PER_FILE = 0.02
PHRASE_DOCUMENTS = 500
# In a large project a phrase is not looked for when each of its words stands in more files than this.
PHRASE_POSTINGS = 800
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
QUOTED = 8


class RankedSource(msgspec.Struct):
    """A ranked file with its chunks and their scores.

    `lines` are those that the request names, by number or by what is declared there, `focus` the chunks that hold them.
    `why` tells the reason without a word of the request.
    """

    fact: FileFact
    score: float
    reason: str
    chunks: Sequence[Snippet]
    scores: list[float]
    focus: tuple[int, ...] = ()
    lines: Sequence[int] = ()
    why: Callable[[], str] = str


class Ranking(msgspec.Struct):
    """Files, best first; `status` is `ranked`, `no-query` or `empty`."""

    status: str
    files: list[RankedSource] = msgspec.field(default_factory=list)


class SourceQuery(msgspec.Struct):
    """A request ready to be looked up: its words, rarest and heaviest first, and which of them stand side by side."""

    words: list[Word]
    pairs: list[tuple[int, int]]
    totals: Totals
    tests: bool
    documents: bool
    spoken: frozenset[str]
    scope: frozenset[str]
    issues: list[str] = msgspec.field(default_factory=list)

    @property
    def phrases(self) -> list[str]:
        """Every spelling of every word, in order."""
        return [phrase for word in self.words for phrase in word.phrases]


def rank(search: ProjectSearch, text: str, limit: int, *, quoted: int = QUOTED, vague: bool = False) -> Ranking:
    """The best `limit` files for a request, the first `quoted` of them with their chunks.

    A request that names nothing specific has no answer, or, if it may be `vague`, one as far as files hold its words.
    """
    task = describe(text)
    issues = tickets(text)
    alone = pointing(task, text)
    text = told(text)
    request = scoped(text)
    found = words(request.text, task, search.asked, request.scope)
    named = names(search, task, text)
    clear = bool(specific(task, found) or named or issues)
    if not (clear or (vague and found)):
        return Ranking("no-query")
    totals = search.totals()
    if not totals.files:
        return Ranking("empty")
    query = _query(search, request, found, totals, wants(text))
    query.issues = issues
    if not (clear or said(query.words)):
        return Ranking("no-query")
    signals, by_text = _candidates(search, query, named)
    places, tokens = search.places(query.phrases, by_text) if query.words else ({}, 0)
    _measure(signals, query, places, tokens)
    scored = combine(
        list(signals.values()),
        files=totals.files,
        commits=totals.commits,
        tests=query.tests,
        documents=query.documents,
    )
    scored = with_tested(scored)
    if totals.commits:
        scored = with_companions(search, scored, tests=query.tests, documents=query.documents)
    if alone:
        scored = [pair for pair in scored if pair[0].tier >= BASENAME] or scored
    ordered = list(islice((pair for pair in scored if answers(pair[0])), limit))
    missing = [item.id for item, _ in ordered[:quoted] if item.id not in places]
    if missing and query.words:
        places, tokens = search.places(query.phrases, missing)
        _measure({row: signals[row] for row in missing}, query, places, tokens)
    return Ranking("ranked", _shown(search, query, ordered, named, quoted))


def _query(
    search: ProjectSearch, request: ScopedRequest, found: list[Word], totals: Totals, wanted: tuple[bool, bool]
) -> SourceQuery:
    large = totals.files > SMALL_PROJECT
    simple = {word.phrases[0] for word in found if word.simple}
    parts = {stem for word in found for phrase in word.phrases if " " in phrase for stem in phrase.split()}
    bodies = search.documents(simple | parts if large else simple)
    paths = search.path_documents(simple)
    for word in found:
        if word.simple:
            word.docs, word.path_docs = bodies[word.phrases[0]], paths[word.phrases[0]]
        elif large:
            word.phrases = tuple(phrase for phrase in word.phrases if _cheap(phrase, bodies)) or word.phrases[:1]
    _look_up(search, [word for word in found if not word.simple])
    present = [word for word in found if word.docs or word.path_docs]
    present.sort(key=lambda word: (-word.weight * idf(word.docs, totals.files), word.phrases))
    if large:
        counted = {word.phrases for word in selecting(present, 2 * _postings(totals.files), MOST_WORDS)}
        present = [word for word in present if word.phrases in counted or not word.docs]
    present = present[:MOST_WORDS]
    beside = pairs(request.text, present, search.stems)
    spoken = frozenset(word.shown.lower() for word in present)
    return SourceQuery(present, beside, totals, *wanted, spoken, request.names)


def _look_up(search: ProjectSearch, found: Sequence[Word]) -> None:
    """Counts the files that hold words which are no single tokens, and keeps those of rare ones."""
    rows = iter(
        search.with_phrase((phrase for word in found for phrase in word.phrases), PHRASE_DOCUMENTS) if found else ()
    )
    for word in found:
        held = list(islice(rows, len(word.phrases)))
        word.docs = sum(map(len, held))
        if all(len(ids) < PHRASE_DOCUMENTS for ids in held):
            word.held = frozenset(chain.from_iterable(held))


def _cheap(phrase: str, bodies: Counter[str]) -> bool:
    """Whether a phrase may stand in a file, as far as its words tell, and is found without walking long postings."""
    return " " not in phrase or 0 < min(bodies[stem] for stem in phrase.split()) <= PHRASE_POSTINGS


def _postings(files: int) -> int:
    """How many rows the first stage may score: all that matter in a small project, a bounded number in a large one."""
    return SMALL_POSTINGS if files <= SMALL_PROJECT else POSTINGS + int(files * POSTINGS_PER_FILE)


def _by_text(search: ProjectSearch, query: SourceQuery) -> dict[int, float]:
    """Files that hold the rarest words, with a first score: bm25, or in a large project the sum of word weights."""
    chosen = selecting(query.words, _postings(query.totals.files), MOST_SELECTING)
    if query.totals.files <= SMALL_PROJECT:
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


def _candidates(
    search: ProjectSearch, query: SourceQuery, named: dict[int, Named]
) -> tuple[dict[int, Signals], list[int]]:
    """Files that any signal proposes, and the ids whose chunks are worth counting."""
    by_text = _by_text(search, query)
    simple = [word.phrases[0] for word in query.words if word.simple]
    in_path = [word.phrases[0] for word in rare_in_paths(query.words, _postings(query.totals.files))]
    by_path = search.in_paths(in_path, FROM_PATHS) if in_path else []
    spoken = [*simple, *query.issues]
    history = search.history(spoken, COMMITS) if spoken else {}
    recent = search.recent(FROM_RECENCY)
    paths = search.paths({*by_text, *by_path, *history, *recent, *named})
    most = CANDIDATES if query.totals.files <= SMALL_PROJECT else LARGE_CANDIDATES
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


def _measure(signals: dict[int, Signals], query: SourceQuery, places: dict[int, Places], tokens: int) -> None:
    """Counts every word in every chunk of the files whose places are known; `tokens` are those of the whole index."""
    average = max(1.0, tokens / max(1, query.totals.chunks))
    weights = [word.weight * idf(word.docs, query.totals.files) for word in query.words]
    weights += [PAIR_SHARE * max(weights[left], weights[right]) for left, right in query.pairs]
    spelled = [len(word.phrases) for word in query.words]
    in_paths = [(number, word.phrases[0]) for number, word in enumerate(query.words) if word.path_docs]
    for row, place in places.items():
        if row not in signals:
            continue
        item = signals[row]
        path_counts = {number: times for number, stem in in_paths if (times := item.stems.count(stem))}
        following = iter(place.found)
        positions = [next(following) if count == 1 else _merged(islice(following, count)) for count in spelled]
        positions += [_following(positions[left], positions[right]) for left, right in query.pairs]
        item.chunks, item.gains = chunk_scores(weights, path_counts, positions, place.cuts, average)


def _merged(spellings: Iterable[Sequence[int]]) -> list[int]:
    """Where any spelling of a word stands, in order."""
    found = [positions for positions in spellings if positions]
    return [*found[0]] if len(found) == 1 else sorted(set().union(*found))


def _following(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Where the second of two words stands right after the first."""
    after = {at + 1 for at in first} if second else ()
    return [at for at in second if at in after]


def _shown(
    search: ProjectSearch,
    query: SourceQuery,
    ordered: Sequence[tuple[Signals, float]],
    named: dict[int, Named],
    quoted: int,
) -> list[RankedSource]:
    facts = search.files(item.id for item, _ in ordered)
    snippets = search.snippets(item.id for item, _ in ordered[:quoted])
    found = []
    for item, score in ordered:
        if item.id not in facts:
            continue
        chunks = snippets.get(item.id, [])
        scores = (item.chunks + [0.0] * len(chunks))[: len(chunks)]
        lines = named[item.id].lines if item.id in named else ()
        found.append(
            RankedSource(
                fact=facts[item.id],
                score=round(score, 6),
                reason=reason(item, query.words),
                why=partial(wordless, item, query.words),
                chunks=chunks,
                scores=scores,
                focus=_focus(chunks, lines),
                lines=lines,
            )
        )
    return found


def _focus(chunks: Sequence[Snippet], lines: Collection[int]) -> tuple[int, ...]:
    if not lines:
        return ()
    return tuple(index for index, chunk in enumerate(chunks) if any(chunk.start <= line <= chunk.end for line in lines))
