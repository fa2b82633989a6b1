"""Words without case and accents, and whether such a word is a stop word: `perché` is found as `perche`."""

import unicodedata

from backstory.text.stopwords import STOPWORDS


def folded(word: str) -> str:
    """A word without case, accents and compatibility forms."""
    lowered = word.lower()
    if lowered.isascii():
        return lowered
    return "".join(char for char in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(char))


def stopword(word: str) -> bool:
    """Whether a word of any case says nothing about what is wanted."""
    return folded(word) in STOPWORDS
