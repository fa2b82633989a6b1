"""Words without case and accents, and whether such a word is a stop word: `perché` is found as `perche`."""

import unicodedata
from functools import cache

from backstory.text.stopwords import STOPWORDS


def folded(word: str) -> str:
    """A word without case, accents and compatibility forms."""
    lowered = word.lower()
    if lowered.isascii():
        return lowered
    return "".join(char for char in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(char))


def accented(letter: str) -> tuple[str, ...]:
    """The Greek and Cyrillic letters that differ from this one by an accent; the tokenizer keeps these apart."""
    return () if letter.isascii() else tuple(one for one in _families().get(folded(letter), ()) if one != letter)


@cache
def _families() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for letter in map(chr, range(0x370, 0x500)):
        if letter.islower():
            found.setdefault(folded(letter), []).append(letter)
    return found


def stopword(word: str) -> bool:
    """Whether a word of any case says nothing about what is wanted."""
    return folded(word) in STOPWORDS
