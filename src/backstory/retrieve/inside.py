"""Finds words that hold a piece inside, for a query that remembers neither how a word begins nor how it ends.

No index leads from a piece to its words, and going through the vocabulary takes as long as the store is large. So it is
looked for where little has to be read: in entries with the same camelCase parts, which are indexed, and else in the
latest texts. A word that only older texts hold is missed; `retrieve.exact` finds it.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import islice

from backstory.store import pieces, search, vocabulary
from backstory.store.history import History
from backstory.text.accents import bared
from backstory.text.fold import spaced
from backstory.text.match import in_columns, phrase, quoted
from backstory.text.parts import camel_parts

LATEST = 3_000
MOST_TEXTS = 60
LONGEST_WORD = 80
# A shorter beginning makes FTS5 gather too many words.
SHORTEST_START = 4
# Letters, and the accents that may stand behind them by themselves.
_SIGN = r"[^\W_]|[\u0300-\u036f]"
_BEFORE = re.compile(rf"(?:{_SIGN})*\Z")
_AFTER = re.compile(rf"(?:{_SIGN})*")


def inside(history: History, piece: str) -> list[tuple[str, int]]:
    """(word, rows) of words found to hold a piece, with its capitals if it has any."""
    found: dict[str, None] = {}
    folded = piece == piece.lower()
    latest = vocabulary.latest_with(history, piece, LATEST, MOST_TEXTS, folded=folded)
    for texts in (_with_parts(history, piece), latest):
        for text in texts:
            found.update((word.lower(), None) for word in around(text.lower() if folded else text, piece))
        if found:
            break
    return vocabulary.among(history, _tokens(history, found))


def beneath_accents(history: History, piece: str) -> list[tuple[str, int]]:
    """(word, rows) of words that hold a piece once their accents are left out, in the latest texts that have any."""
    found: dict[str, None] = {}
    accented = _accented()
    texts = (bared(text) for text in vocabulary.latest_signs(history, LATEST) if accented.search(text))
    for text in islice((text for text in texts if piece in text), MOST_TEXTS):
        found.update(dict.fromkeys(around(text, piece)))
    return vocabulary.among(history, list(found))


@cache
def _accented() -> re.Pattern[str]:
    """Latin letters with accents, and accents behind their letter; most of what is not ASCII is dashes and arrows."""
    return re.compile("[\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]")


def _tokens(history: History, words: Collection[str]) -> list[str]:
    """Words as the index holds them."""
    text = " ".join(words)
    if text.isascii():
        return list(words)
    return list(dict.fromkeys(vocabulary.tokens(history, spaced(text), stemmed=False)))


def _with_parts(history: History, piece: str) -> Iterable[str]:
    """The latest texts with a name that has the parts of a piece, as far as they are whole in it."""
    match = _parts(camel_parts(piece).split())
    if not match:
        return
    rows = search.with_phrase(history, in_columns(("parts",), match), below=search.ABOVE_ALL, most=MOST_TEXTS)
    for _, body in pieces.texts(history, [id_ for id_, _ in search.admitted(history, rows, search.NOTHING)]):
        yield body.decode("utf-8", "replace")


def _parts(parts: list[str]) -> str:
    """The parts between the first, which may lack its beginning, and the last, which may lack its end."""
    whole, last = parts[1:-1], parts[-1] if parts else ""
    if len(last) >= SHORTEST_START:
        return quoted(" ".join([*whole, last])) + " *"
    return phrase(whole) if whole else ""


def around(text: str, piece: str) -> Iterator[str]:
    """The words in which a piece stands in a text, with repetitions; none that is too long to be a word.

    >>> list(around("a tokenizer, re_tokenize", "okeniz"))
    ['tokenizer', 'tokenize']
    """
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        before = _BEFORE.search(text[max(at - LONGEST_WORD, 0) : at])
        after = _AFTER.match(text[end : end + LONGEST_WORD])
        word = (before[0] if before else "") + piece + (after[0] if after else "")
        if len(word) <= LONGEST_WORD:
            yield word
        at = text.find(piece, end)
