"""Finds the pieces of conversation that are most about the words of a query, which `candidates` chose.

What a piece is worth beside the entries of its session is for `rank` to say.
"""

from collections.abc import Sequence

from backstory.retrieve import merging, rank, terms
from backstory.store import copies, search, statistics
from backstory.store.history import History
from backstory.store.search import WordMatch

PASSAGES = 100
PASSAGES_OF_FEW = 30
PASSAGE_POSTINGS = 1_000


def best_passages(history: History, words: Sequence[str], *, short: bool) -> dict[int, float]:
    """The score of the best conversation piece of each session; a `short` query looks at fewer."""
    docs = statistics.frequencies(history, "passage", terms.counted(words), terms.COUNTED)
    total, tokens = statistics.sizes(history, "passage")
    # A word of every other piece says little, and finding it costs the most.
    weighty = {word: n for word, n in docs.items() if n < total / 2}
    if not weighty and total <= PASSAGE_POSTINGS:
        weighty = docs
    choice = terms.choose(weighty, statistics.piece_ids(history), PASSAGE_POSTINGS)
    if choice is None:
        return {}
    match = WordMatch(terms.plain_match(choice), tuple(range(len(choice.rare))), ())
    gains = rank.weights(total, [term.docs for term in choice.rare], ()).gains
    average = tokens / total if tokens else 1.0
    best: dict[int, float] = {}
    reach = terms.Reach(PASSAGES_OF_FEW if short else PASSAGES)
    rows = search.passage_evidence(history, match, floor=choice.floor, limit=reach.limit)
    order = [term.text for term in choice.rare]
    for row in merging.merged(history, "passage", choice.alone, order, rows, reach):
        score = rank.passage_score(row.evidence, gains, average)
        best[row.session] = max(best.get(row.session, 0.0), score)
    for session in copies.twins(history, best):
        del best[session]
    return best
