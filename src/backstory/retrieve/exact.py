"""Finds any literal piece of text, inside words too, narrowed by the tokens that it holds whole.

First come the entries in which the piece starts and ends with words, found by phrase; then those in which it cuts a
word, found by the words inside it or by the vocabulary. Each is verified against the stored text. The store is scanned
for a piece without a usable token (such as `->`), or inside too many words. Both parts are newest first.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from backstory.store import search
from backstory.store.history import History
from backstory.store.where import Clause
from backstory.text.fold import spaced
from backstory.text.match import any_of, in_columns, quoted

COLUMNS = ("said", "result")
MOST_TERMS = 400
NARROW = 500
SHORTEST_START = 4


def exact(history: History, text: str, where: Clause, *, offset: int, limit: int) -> list[tuple[int, int]]:
    """(id, session) of entries `offset` to `offset + limit` that hold `text`."""
    return list(islice(_found(history, text, where), offset, offset + limit))


def _found(history: History, text: str, where: Clause) -> Iterator[tuple[int, int]]:
    tokens = search.tokens(history, spaced(text), stemmed=False)
    if not tokens:
        yield from search.scanned_rows(history, text, where)
        return
    phrase = quoted(" ".join(tokens))
    seen: set[int] = set()
    for id_, session in search.holding_rows(history, in_columns(COLUMNS, phrase), text, where):
        seen.add(id_)
        yield id_, session
    for id_, session in _inside_words(history, text, tokens, where):
        if id_ not in seen:
            yield id_, session


def _inside_words(history: History, text: str, tokens: list[str], where: Clause) -> Iterator[tuple[int, int]]:
    """Entries in which `text` begins or ends inside a word, with some of those in which it does not."""
    open_left, open_right = text[0].isalnum(), text[-1].isalnum()
    if not (open_left or open_right):
        return
    match = _around(history, tokens, tokens[open_left : len(tokens) - open_right], open_right=open_right)
    if not match:
        terms = search.vocabulary(history, tokens[0], MOST_TERMS + 1)
        if len(terms) > MOST_TERMS:
            yield from search.scanned_rows(history, text, where)
            return
        match = any_of(terms)
    if match:
        yield from search.holding_rows(history, in_columns(COLUMNS, match), text, where)


def _around(history: History, tokens: list[str], whole: list[str], *, open_right: bool) -> str:
    """A phrase of the words that stand whole in a piece; with the beginning of its last word, if needed to narrow.

    Gathering all words with a beginning takes long for a short one, so a rare whole word does without.
    """
    phrase = quoted(" ".join(whole)) if whole else ""
    if not open_right or len(tokens) == 1:
        return phrase
    last = tokens[-1]
    if whole and (len(last) < SHORTEST_START or min(_docs(history, whole)) < NARROW):
        return phrase
    return quoted(" ".join([*whole, last])) + " *"


def _docs(history: History, tokens: list[str]) -> Iterable[int]:
    return search.frequencies(history, "literal", list(dict.fromkeys(tokens)), NARROW).values()
