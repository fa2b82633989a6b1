"""Scores rows, sessions and entries from counts alone; pure, so every order can be explained and replayed.

The constants were chosen on real sessions (docs/internals/ranking.md). A row's score is BM25 with a floor under its
length, so that one-line rows do not win by being short, plus a bonus for query words that follow each other.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log

from backstory.records.base import Record

K1 = 1.2
PASSAGE_K1 = 2.0
B = 0.75
PIVOT = 55
SHORTEST_ENTRY = 50
SHORTEST_OF_SESSION = 30
PAIR_WEIGHT = 0.5
DECAY = 0.4
BEST_ROWS = 10
SESSION_WEIGHT = 0.4
ENTRY_SESSION_WEIGHT = 0.8
DATE_WEIGHT = 0.3
TYPED = 1.05
TYPED_ALONE = 1.3


class Weights(Record, frozen=True):
    """What each count of a row's evidence is worth: the terms of a query, then its neighbouring pairs.

    Of each group of positions in `alike` a row counts the best term only; `typed` is what a person's words are worth.
    """

    gains: tuple[float, ...]
    alike: tuple[tuple[int, ...], ...] = ()
    typed: float = TYPED


def weights(
    total: int,
    documents: Sequence[int],
    pairs: Sequence[int],
    *,
    alike: Sequence[tuple[int, ...]] = (),
    alone: bool = False,
) -> Weights:
    """Weights from document counts out of `total` rows; `pairs` names positions i of pairs (i, i+1).

    `alike` names groups of positions, each of terms that stand in for one word. `alone` says that the query is but one
    word, so that little else tells its rows apart.
    """
    terms = [log(1 + (total - docs + 0.5) / (docs + 0.5)) if docs <= total else 0.0 for docs in documents]
    near = [min(1 + log(1 + total / (1 + min(documents[i], documents[i + 1]))), 9.0) for i in pairs]
    gains = [(K1 + 1) * idf for idf in terms] + [PAIR_WEIGHT * (K1 + 1) * idf for idf in near]
    return Weights(tuple(gains), tuple(alike), TYPED_ALONE if alone else TYPED)


class RowScore(Record, frozen=True):
    """A row's score when entries are compared, and when its session is; `parts` are what the first is the sum of."""

    entry: float
    session: float
    parts: tuple[float, ...] = ()


SILENT = RowScore(0.0, 0.0)


class Row(Record, frozen=True):
    """A row by its session and its number there; `dated` is how well it lies in a time that the query names."""

    session: int
    seq: int
    score: RowScore
    dated: float = 0.0


Rows = Mapping[int, Row]


def row_score(evidence: bytes, given: Weights, *, typed: bool = False, sessions: bool = True) -> RowScore:
    """The scores of one row from its evidence (see `store.ranking.evidence`).

    Rows shorter than a floor are scored as if they had that many tokens; the floor is lower where rows only add up to
    the score of their session, which counts only if `sessions` are asked for. What a person `typed` is worth a little
    more.
    """
    length = _length(evidence)
    if given.alike:
        evidence = _best_of(evidence, given)
    parts = _parts(evidence, given.gains, max(SHORTEST_ENTRY, length))
    if typed:
        parts = [given.typed * part for part in parts]
    entry = session = sum(parts)
    if sessions and length < SHORTEST_ENTRY:
        session = sum(_parts(evidence, given.gains, max(SHORTEST_OF_SESSION, length)))
        session *= given.typed if typed else 1
    for group in given.alike:
        parts[group[0]] = sum([parts[at] for at in group])
        for at in group[1:]:
            parts[at] = 0.0
    return RowScore(entry, session, tuple(parts))


def _best_of(evidence: bytes, given: Weights) -> bytes:
    """The evidence with the best term of each group alone."""
    counts = bytearray(evidence)
    for group in given.alike:
        best = max(group, key=lambda at: (counts[at] > 0, given.gains[at]))
        for at in group:
            counts[at] = counts[at] if at == best else 0
    return bytes(counts)


def _parts(counts: bytes, gains: Sequence[float], length: int) -> list[float]:
    k = K1 * (1 - B + B * length / PIVOT)
    return [gain * count / (count + k) if count else 0.0 for count, gain in zip(counts, gains)]  # noqa: B905 a keyword costs as much here as a short row


def passage_score(evidence: bytes, gains: Sequence[float], average: float) -> float:
    """BM25 of a conversation piece: it repeats its topic, so that more occurrences of a word count than in a row."""
    k = PASSAGE_K1 * (1 - B + B * _length(evidence) / average)
    counts = zip(evidence, gains, strict=False)
    return sum(gain * count / (count + k) for count, gain in counts if count)


class Plain(Record, frozen=True):
    """What FTS5's own bm25 weighs a query by: the terms that select rows and those that only help, in its order.

    Each is told by its place in the evidence and its weight; `average` is the mean length of rows.
    """

    rare: tuple[tuple[int, float], ...]
    common: tuple[tuple[int, float], ...]
    average: float


def plain_score(evidence: bytes, given: Plain) -> float:
    """FTS5's own bm25 of a row, which has the same constants; more is better.

    Where any common term is there, the rare ones match a second time (see `text.match.two_tier`).
    """
    k = K1 * (1 - B + B * _length(evidence) / given.average)
    helped = any(evidence[at] for at, _ in given.common)
    terms = given.rare + given.rare + given.common if helped else given.rare
    return sum([weight * ((evidence[at] * (K1 + 1)) / (evidence[at] + k)) for at, weight in terms])


def _length(evidence: bytes) -> int:
    return int.from_bytes(evidence[-4:])


def session_scores(rows: Iterable[Row], passages: Mapping[int, float]) -> dict[int, float]:
    """The score of each session from its rows and the score of its conversation."""
    scores: defaultdict[int, list[float]] = defaultdict(list)
    dated: defaultdict[int, float] = defaultdict(float)
    for row in rows:
        scores[row.session].append(row.score.session)
        dated[row.session] = max(dated[row.session], row.dated)
    sums = {
        session: sum(score * DECAY**i for i, score in enumerate(sorted(found, reverse=True)[:BEST_ROWS]))
        for session, found in scores.items()
    }
    top, top_passage = max(sums.values(), default=0.0), max(passages.values(), default=0.0)
    return {
        session: _share(sums.get(session, 0.0), top)
        + SESSION_WEIGHT * _share(passages.get(session, 0.0), top_passage)
        + DATE_WEIGHT * dated[session]
        for session in {*sums, *passages}
    }


def entry_scores(rows: Rows, lent: Mapping[int, float], passages: Mapping[int, float]) -> dict[int, float]:
    """The score of each entry from its row, what entries beside it lent, and its conversation."""
    top = max((row.score.entry for row in rows.values()), default=0.0)
    top_passage = max(passages.values(), default=0.0)
    conversation = {session: ENTRY_SESSION_WEIGHT * _share(score, top_passage) for session, score in passages.items()}
    return {
        id_: _share(row.score.entry + lent.get(id_, 0.0), top)
        + conversation.get(row.session, 0.0)
        + DATE_WEIGHT * row.dated
        for id_, row in rows.items()
    }


def _share(value: float, top: float) -> float:
    return value / top if top > 0 else 0.0
