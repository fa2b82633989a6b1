"""Ranks the files of a project for a request and scores their chunks; others show text, after a look at the file.

Two stages keep it fast: full text over files picks forty candidates under a bound on postings, then every word of the
request is counted in every chunk of those. History, recency, paths and names bring in files that text alone misses.
Neighbours: `project_words`, `project_named` and `rank_project` before, `cards` chooses ranges of what comes out.
"""

from collections.abc import Collection, Sequence

import msgspec

from backstory.records.project import Chunk
from backstory.retrieve.project_named import STEM, Named, names
from backstory.retrieve.project_words import MOST_WORDS, Word, selecting, specific, wants, words
from backstory.retrieve.rank_project import Signals, chunk_scores, combine, idf, path_score, prior
from backstory.retrieve.task import describe
from backstory.store.project_search import FileFact, Places, ProjectSearch, Totals
from backstory.text.parts import camel_parts

SMALL_PROJECT = 1_500
SMALL_POSTINGS = 16_000
POSTINGS = 1_200
POSTINGS_PER_FILE = 0.02
PHRASE_DOCUMENTS = 500
MOST_SELECTING = 32
FETCHED = 200
CANDIDATES = 40
LARGE_CANDIDATES = 16
FROM_PATHS = 20
PATHS_COUNTED = 6
COMMITS = 5
FROM_RECENCY = 20
SHOWN_WORDS = 4
QUOTED = 8


class RankedSource(msgspec.Struct):
    """A ranked file with its chunks, their token estimates and scores; `focus` are chunks named by symbol or line."""

    fact: FileFact
    score: float
    reason: str
    chunks: Sequence[Chunk]
    tokens: list[int]
    scores: list[float]
    focus: tuple[int, ...] = ()


class Ranking(msgspec.Struct):
    """Files, best first; `status` is `ranked`, `no-query` or `empty`."""

    status: str
    files: list[RankedSource] = msgspec.field(default_factory=list)


class Options(msgspec.Struct, frozen=True):
    """Which signals count; all of them unless something is being measured."""

    history: bool = True
    recency: bool = True
    named: bool = True


class Query(msgspec.Struct):
    """A request ready to be looked up: its words, rarest and heaviest first."""

    words: list[Word]
    totals: Totals
    tests: bool
    documents: bool
    spoken: frozenset[str]

    @property
    def phrases(self) -> list[str]:
        """Every spelling of every word, in order."""
        return [phrase for word in self.words for phrase in word.phrases]


def rank(
    search: ProjectSearch, text: str, limit: int, options: Options | None = None, *, quoted: int = QUOTED
) -> Ranking:
    """The best `limit` files for a request, the first `quoted` of them with their chunks."""
    options = options or Options()
    task = describe(text)
    found = words(text, task, search.stems)
    named = names(search, task, text) if options.named else {}
    if not specific(task, found) and not named:
        return Ranking("no-query")
    totals = search.totals()
    if not totals.files:
        return Ranking("empty")
    query = _query(search, text, found, totals)
    signals, facts, by_text = _candidates(search, query, named, options)
    places = search.places(query.phrases, by_text) if query.words else {}
    _measure(signals, query, places, search.totals())
    ordered = combine(list(signals.values()), tests=query.tests, documents=query.documents)[:limit]
    missing = [item.id for item, _ in ordered[:quoted] if item.id not in places]
    if missing and query.words:
        _measure({row: signals[row] for row in missing}, query, search.places(query.phrases, missing), search.totals())
    return Ranking("ranked", _shown(search, query, ordered, facts, named, quoted))


def _query(search: ProjectSearch, text: str, found: list[Word], totals: Totals) -> Query:
    documents_of = search.documents(word.phrases[0] for word in found if word.simple)
    for word in found:
        if word.simple:
            word.docs, word.path_docs = documents_of[word.phrases[0]]
        else:
            held = [search.holding(phrase, PHRASE_DOCUMENTS) for phrase in word.phrases]
            word.docs = sum(map(len, held))
            if all(len(rows) < PHRASE_DOCUMENTS for rows in held):
                word.held = frozenset().union(*held)
    present = [word for word in found if word.docs or word.path_docs]
    present.sort(key=lambda word: (-word.weight * idf(word.docs, totals.files), word.phrases))
    tests, documents = wants(text)
    if totals.files > SMALL_PROJECT:
        counted = {word.phrases for word in selecting(present, 2 * _postings(totals.files), MOST_WORDS)}
        present = [word for word in present if word.phrases in counted or not word.docs]
    present = present[:MOST_WORDS]
    return Query(present, totals, tests, documents, frozenset(word.shown.lower() for word in present))


def _postings(files: int) -> int:
    """How many rows the first stage may score: all that matter in a small project, a bounded number in a large one."""
    return SMALL_POSTINGS if files <= SMALL_PROJECT else POSTINGS + int(files * POSTINGS_PER_FILE)


def _by_text(search: ProjectSearch, query: Query) -> dict[int, float]:
    """Files that hold the rarest words, with a first score: bm25, or in a large project the sum of word weights."""
    chosen = selecting(query.words, _postings(query.totals.files), MOST_SELECTING)
    if query.totals.files <= SMALL_PROJECT:
        phrases = [phrase for word in chosen for phrase in word.phrases]
        return dict(search.candidates(phrases, FETCHED)) if phrases else {}
    sums: dict[int, float] = {}
    for word in chosen:
        gain = word.weight * idf(word.docs, query.totals.files)
        for row in _held(search, word):
            sums[row] = sums.get(row, 0.0) + gain
    best = sorted([(-score, row) for row, score in sums.items()])[: FETCHED // 2]
    return {row: -score for score, row in best}


def _held(search: ProjectSearch, word: Word) -> Collection[int]:
    """The files that hold any spelling of a word."""
    if word.held is not None:
        return word.held
    return {row for phrase in word.phrases for row in search.holding(phrase)}


def _candidates(
    search: ProjectSearch, query: Query, named: dict[int, Named], options: Options
) -> tuple[dict[int, Signals], dict[int, FileFact], list[int]]:
    """Files that any signal proposes, their facts, and the ids whose chunks are worth counting."""
    by_text = _by_text(search, query)
    simple = [word.phrases[0] for word in query.words if word.simple]
    in_path = [word.phrases[0] for word in query.words if word.path_docs]
    by_path = search.in_paths(in_path, FROM_PATHS) if in_path else []
    history = search.history(simple, COMMITS) if options.history and simple else {}
    recent = search.recent(FROM_RECENCY) if options.recency else {}
    facts = search.files({*by_text, *by_path, *history, *recent, *named})
    most = CANDIDATES if query.totals.files <= SMALL_PROJECT else LARGE_CANDIDATES
    weighted = {
        row: score * prior(facts[row].path, tests=query.tests, documents=query.documents)
        for row, score in by_text.items()
        if row in facts
    }
    best = sorted(weighted, key=lambda row: (-weighted[row], facts[row].path))[:most]
    kept = {*best, *by_path, *history, *recent, *named} & facts.keys()
    if options.recency:
        recent |= search.recency(kept)
    signals = {row: _signals(search, query, facts[row], named.get(row)) for row in kept}
    for row, item in signals.items():
        item.history = history.get(row, 0.0)
        item.recency = recent.get(row, 0.0)
    return signals, facts, list(dict.fromkeys([*best, *by_path[:PATHS_COUNTED], *named]))


def _signals(search: ProjectSearch, query: Query, fact: FileFact, named: Named | None) -> Signals:
    item = Signals(fact.id, fact.path, search.stems(f"{fact.path} {camel_parts(fact.path)}"))
    item.path_score = path_score(query.words, item.stems, query.totals.files)
    if named is not None:
        item.named, item.tier, item.bonus = named.rank, named.tier, named.bonus
        item.reasons.extend(dict.fromkeys(named.reasons))
    if not item.named:
        stem = fact.path.rpartition("/")[2].partition(".")[0].lower()
        if len(stem) > 2 and stem in query.spoken:
            item.named = STEM
    return item


def _measure(signals: dict[int, Signals], query: Query, places: dict[int, Places], totals: Totals) -> None:
    """Counts every word in every chunk of the files whose places are known."""
    average = max(1.0, totals.tokens / max(1, totals.chunks))
    weights = [word.weight * idf(word.docs, query.totals.files) for word in query.words]
    for row, place in places.items():
        if row not in signals:
            continue
        item = signals[row]
        path_counts: list[int] = []
        positions: list[Sequence[int]] = []
        number = 0
        for word in query.words:
            path_counts.append(item.stems.count(word.phrases[0]) if word.path_docs else 0)
            following = number + len(word.phrases)
            if following - number == 1:
                positions.append(place.found[number])
            else:
                positions.append(sorted({at for spelling in place.found[number:following] for at in spelling}))
            number = following
        item.chunks, item.gains = chunk_scores(weights, path_counts, positions, place.cuts, average)


def _shown(
    search: ProjectSearch,
    query: Query,
    ordered: Sequence[tuple[Signals, float]],
    facts: dict[int, FileFact],
    named: dict[int, Named],
    quoted: int,
) -> list[RankedSource]:
    snippets = search.snippets(item.id for item, _ in ordered[:quoted])
    found = []
    for item, score in ordered:
        chunks = snippets.get(item.id, [])
        scores = (item.chunks + [0.0] * len(chunks))[: len(chunks)]
        lines = named[item.id].lines if item.id in named else ()
        found.append(
            RankedSource(
                fact=facts[item.id],
                score=round(score, 6),
                reason=_reason(item, query.words),
                chunks=chunks,
                tokens=[chunk.tokens for chunk in chunks],
                scores=scores,
                focus=_focus(chunks, lines),
            )
        )
    return found


def _reason(item: Signals, words_: Sequence[Word]) -> str:
    reasons = list(item.reasons)
    if item.gains:
        best = sorted(zip(item.gains, words_, strict=True), key=lambda pair: -pair[0])[:SHOWN_WORDS]
        shown = [word.shown for gain, word in best if gain > 0]
        if shown:
            reasons.append("matches " + ", ".join(shown))
    if item.history > 0:
        reasons.append("similar commits touched it")
    if item.recency > 0 and not reasons:
        reasons.append("changed recently")
    if not reasons:
        reasons.append("path")
    return "; ".join(dict.fromkeys(reasons))


def _focus(chunks: Sequence[Chunk], lines: Collection[int]) -> tuple[int, ...]:
    if not lines:
        return ()
    return tuple(index for index, chunk in enumerate(chunks) if any(chunk.start <= line <= chunk.end for line in lines))
