"""Counts every word of a request in every chunk of the files that are worth it.

Neighbours: `candidates` before, `scores` says what the counts are worth.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from backstory.retrieve.project.query import SourceQuery
from backstory.retrieve.project.scores import PAIR_SHARE, Signals, chunk_scores, idf
from backstory.store.project.search import Places


def measure(signals: dict[int, Signals], query: SourceQuery, places: dict[int, Places], tokens: int) -> None:
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
