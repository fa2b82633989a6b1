"""Ranks the files of a project for a request and scores their chunks; others show text, after a look at the file.

Two stages keep it fast: full text over files picks candidates under a bound on postings, then every word of the
request is counted in every chunk of those.
Neighbours: `words`, `named`, `query`, `candidates`, `measure` and `scores` before; `tested` and `companions` complete
the order, `reasons` says why, `cards` chooses ranges of what comes out.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import islice

import msgspec

from backstory.records.project import Snippet
from backstory.retrieve.project.candidates import candidates
from backstory.retrieve.project.companions import with_companions
from backstory.retrieve.project.measure import measure
from backstory.retrieve.project.named import BASENAME, Named, names
from backstory.retrieve.project.query import SourceQuery, source_query
from backstory.retrieve.project.reasons import reason, wordless
from backstory.retrieve.project.scope import scoped
from backstory.retrieve.project.scores import Signals, answers, combine
from backstory.retrieve.project.tested import with_tested
from backstory.retrieve.project.words import said, specific, tickets, told, wants, words
from backstory.retrieve.task import describe, pointing
from backstory.store.project.search import FileFact, ProjectSearch

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
    query = source_query(search, request, found, totals, wants(text), issues)
    if not (clear or said(query.words)):
        return Ranking("no-query")
    signals, by_text = candidates(search, query, named)
    places, tokens = search.places(query.phrases, by_text) if query.words else ({}, 0)
    measure(signals, query, places, tokens)
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
        measure({row: signals[row] for row in missing}, query, places, tokens)
    return Ranking("ranked", _shown(search, query, ordered, named, quoted))


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
