"""Finds the pieces of conversation that are most about the words of a query, which `candidates` chose.

What a piece is worth beside the entries of its session is for `rank` to say.
"""

from collections.abc import Sequence

from backstory.retrieve import rank, terms
from backstory.store import copies, search
from backstory.store.history import History
from backstory.store.search import WordMatch

PASSAGES = 100
PASSAGE_POSTINGS = 1_000


def best_passages(history: History, words: Sequence[str]) -> dict[int, float]:
    """The score of the best conversation piece of each session."""
    docs = search.frequencies(history, "passage", terms.counted(words), terms.COUNTED)
    total, tokens = search.sizes(history, "passage")
    # A word of every other piece has no weight in bm25, and finding it costs the most.
    weighty = {word: n for word, n in docs.items() if n < total / 2}
    if not weighty and total <= PASSAGE_POSTINGS:
        weighty = docs
    choice = terms.choose(weighty, search.piece_ids(history), PASSAGE_POSTINGS)
    if choice is None:
        return {}
    match = WordMatch(terms.plain_match(choice), tuple(range(len(choice.rare))), ())
    if history.live:
        counts = [term.docs for term in choice.rare]
        told = search.passage_evidence(history, match, floor=choice.floor, limit=PASSAGES)
        average = tokens / total if tokens else 1.0
        rows = [(session, rank.passage_score(evidence, counts, total, average)) for session, evidence in told]
    else:
        # FTS5's own score serves as long as it has counted everything.
        rows = search.match_passages(history, match, floor=choice.floor, limit=PASSAGES)
    best: dict[int, float] = {}
    for session, score in rows:
        best[session] = max(best.get(session, 0.0), score)
    for session in copies.twins(history, best):
        del best[session]
    return best
