"""What the entries beside an entry add to it: a question and its answer hold the words of a query together.

An entry is lent the words that it does not hold and an entry near it does. So an answer that repeats none of the words
of its question is found, and nobody gets ahead by the same words being said twice. Neighbours are told by their numbers
in the session: row ids say only in what order entries were indexed.
"""

from collections.abc import Mapping, Sequence

from backstory.retrieve.rank import Rows

Place = tuple[int, int]
Words = Mapping[Place, Sequence[float]]

# What is lent of the worth of a word by how far away it stands: half from the entry before, half of that for a further
# step, and half for what comes after, since an answer follows its question.
STEPS = ((-1, 0.5), (1, 0.25), (-2, 0.25), (2, 0.125))
# So many of the best entries are looked around for neighbours that hold no word of the query.
BEST = 10


def lent(rows: Rows) -> dict[int, float]:
    """What each row is lent by the rows beside it."""
    words = _words(rows)
    return {id_: _lent(words, (row.session, row.seq), row.score.parts) for id_, row in rows.items()}


def silent(rows: Rows, scores: Mapping[int, float]) -> dict[Place, float]:
    """The places beside the best rows where no row stands, with what they are lent.

    Of rows with equal scores either all are among the best or none, so that nothing depends on their order.
    """
    ordered = sorted((scores[id_] for id_ in rows), reverse=True)
    bar = ordered[BEST] if len(ordered) > BEST else float("-inf")
    best = [row for id_, row in rows.items() if scores[id_] > bar]
    words = _words(rows)
    places = {(row.session, row.seq + step) for row in best for step, _ in STEPS} - words.keys()
    return {place: _lent(words, place, ()) for place in places if place[1] >= 0}


def _words(rows: Rows) -> Words:
    return {(row.session, row.seq): row.score.parts for row in rows.values()}


def _lent(words: Words, place: Place, own: Sequence[float]) -> float:
    session, seq = place
    near = [(share, parts) for step, share in STEPS if (parts := words.get((session, seq + step)))]
    if not near:
        return 0.0
    most = _most([[share * worth for worth in parts] for share, parts in near])
    if not own:
        return sum(most)
    return sum([there - here for there, here in zip(most, own, strict=True) if there > here])


def _most(lists: Sequence[Sequence[float]]) -> Sequence[float]:
    """The largest of each place."""
    return lists[0] if len(lists) == 1 else list(map(max, *lists))
