"""Words without case and accents, and what else is written otherwise and read alike: `perché` is found as `perche`."""

import re
import unicodedata
from functools import cache

from backstory.text.stopwords import STOPWORDS


def folded(word: str) -> str:
    """A word without case, accents and compatibility forms."""
    lowered = word.lower()
    if lowered.isascii():
        return lowered
    return "".join(char for char in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(char))


def bared(text: str) -> str:
    """A text in small letters without their accents, each letter otherwise as it is."""
    return text.lower() if text.isascii() else _accents().sub("", unicodedata.normalize("NFD", text.lower()))


@cache
def _accents() -> re.Pattern[str]:
    return re.compile("[\u0300-\u036f]+")


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


def equivalent(text: str) -> tuple[str, ...]:
    """The text as it is, with its letters whole, and with accents and parts of syllables apart; each form once.

    >>> [len(form) for form in equivalent("caf\u00e9")]
    [4, 5]
    """
    if text.isascii():
        return (text,)
    return tuple(dict.fromkeys((text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))))


def ligated(word: str) -> tuple[str, ...]:
    """The word as a page may print it, with one sign for letters that are cast together; empty without such letters.

    >>> ligated("affine"), ligated("word")
    (('a\ufb03ne', 'af\ufb01ne'), ())
    """
    found = []
    for signs in (_LIGATURES, _LIGATURES[2:4]):
        printed = word
        for letters, sign in signs:
            printed = printed.replace(letters, sign)
        found.append(printed)
    return tuple(one for one in dict.fromkeys(found) if one != word)


def spelled_out(text: str) -> str:
    """A text with letters that were cast together one by one."""
    for letters, sign in _LIGATURES if not text.isascii() else ():
        text = text.replace(sign, letters)
    return text


def alike(text: str) -> tuple[str, ...]:
    """The forms in which a text reads the same: its equivalent ones, also with letters one by one, then those ligated.

    >>> [len(form) for form in alike("caf\u00e9s aff")]
    [9, 10, 8]
    """
    plain = spelled_out(text)
    return tuple(dict.fromkeys([*equivalent(text), *equivalent(plain), *ligated(plain)]))


# The longest first; many fonts have those of `fi` and `fl` alone.
_LIGATURES = (("ffi", "\ufb03"), ("ffl", "\ufb04"), ("fi", "\ufb01"), ("fl", "\ufb02"), ("ff", "\ufb00"))
LIGATURES = "".join(sign for _, sign in _LIGATURES)


def stopword(word: str) -> bool:
    """Whether a word of any case says nothing about what is wanted."""
    return folded(word) in STOPWORDS
