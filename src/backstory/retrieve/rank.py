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
NEIGHBOUR_WEIGHT = 0.1
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
    """A row's score when entries are compared, and when its session is."""

    entry: float
    session: float


def row_score(evidence: bytes, given: Weights, *, typed: bool = False, sessions: bool = True) -> RowScore:
    """The scores of one row from its evidence (see `store.ranking.evidence`).

    Rows shorter than a floor are scored as if they had that many tokens; the floor is lower where rows only add up to
    the score of their session, which counts only if `sessions` are asked for. What a person `typed` is worth a little
    more.
    """
    length = _length(evidence)
    if given.alike:
        evidence = _best_of(evidence, given)
    entry = session = _sum(evidence, given.gains, max(SHORTEST_ENTRY, length))
    if sessions and length < SHORTEST_ENTRY:
        session = _sum(evidence, given.gains, max(SHORTEST_OF_SESSION, length))
    return RowScore(given.typed * entry, given.typed * session) if typed else RowScore(entry, session)


def _best_of(evidence: bytes, given: Weights) -> bytes:
    """The evidence with the best term of each group alone."""
    counts = bytearray(evidence)
    for group in given.alike:
        best = max(group, key=lambda at: (counts[at] > 0, given.gains[at]))
        for at in group:
            counts[at] = counts[at] if at == best else 0
    return bytes(counts)


def _sum(counts: bytes, gains: Sequence[float], length: int) -> float:
    k = K1 * (1 - B + B * length / PIVOT)
    total = 0.0
    for count, gain in zip(counts, gains):  # noqa: B905 a keyword costs as much here as a short row
        if count:
            total += gain * count / (count + k)
    return total


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


def session_scores(rows: Iterable[tuple[int, float]], passages: Mapping[int, float]) -> dict[int, float]:
    """The score of each session from (session, row score) pairs and the score of its conversation."""
    scores: defaultdict[int, list[float]] = defaultdict(list)
    for session, score in rows:
        scores[session].append(score)
    sums = {
        session: sum(score * DECAY**i for i, score in enumerate(sorted(found, reverse=True)[:BEST_ROWS]))
        for session, found in scores.items()
    }
    top, top_passage = max(sums.values(), default=0.0), max(passages.values(), default=0.0)
    return {
        session: _share(sums.get(session, 0.0), top) + SESSION_WEIGHT * _share(passages.get(session, 0.0), top_passage)
        for session in {*sums, *passages}
    }


def entry_scores(rows: Mapping[int, tuple[int, int, float]], passages: Mapping[int, float]) -> dict[int, float]:
    """The score of each entry from its (session, seq, row score), its session's conversation, and its neighbours.

    Neighbours are told by their numbers: row ids say only in what order entries were indexed.
    """
    beside = {(session, seq): score for session, seq, score in rows.values()}
    top = max(beside.values(), default=0.0)
    top_passage = max(passages.values(), default=0.0)
    conversation = {session: ENTRY_SESSION_WEIGHT * _share(score, top_passage) for session, score in passages.items()}
    scores = {}
    for id_, (session, seq, score) in rows.items():
        near = beside.get((session, seq - 1), 0.0) + beside.get((session, seq + 1), 0.0)
        share = (score + NEIGHBOUR_WEIGHT * near) / top if top > 0 else 0.0
        scores[id_] = share + conversation.get(session, 0.0)
    return scores


def _share(value: float, top: float) -> float:
    return value / top if top > 0 else 0.0
