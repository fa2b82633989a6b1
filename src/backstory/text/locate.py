"""Finds where something stands in a text: a run of tokens as the tokenizer of the index sees it, or a text as it is.

Tokens are compared without case and diacritics. Between two of them stands anything that is no letter and no digit; CJK
letters, each a token of its own, may also touch. A text is compared without case only. Pure.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from backstory.text.fold import spaced

FEW_LETTERS = 24
# Lower case writes a sigma in another way at the end of a word; the index has one sigma only.
FINAL_SIGMA, SIGMA = "\u03c2", "\u03c3"
_GAP, _TOUCHING = r"[\W_]+", r"[\W_]*"
_ASCII = bytes(range(128))
_NO_WORD_BEFORE, _NO_WORD_AFTER = r"(?<![^\W_])", r"(?![^\W_])"


def locate(text: str, tokens: Sequence[str]) -> int | None:
    """The offset of the first match; None when there is none."""
    if not tokens:
        return None
    pattern = "".join([
        _left(tokens[0]),
        *[f"{re.escape(token)}{_between(token, after)}" for token, after in pairwise(tokens)],
        re.escape(tokens[-1]),
        "" if _cjk(tokens[-1]) else _NO_WORD_AFTER,
    ])  # fmt: skip
    found = re.search(pattern, unaccented(text))
    return found.start() if found else None


def lowered(text: str) -> str:
    """The text in lower case, every letter at its place: one that takes more room in lower case stays as it is."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def _beyond_ascii(text: str) -> set[str]:
    """The letters of a text that are not ASCII; going through its bytes leaves few to look at."""
    return set(text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass"))


def unaccented(text: str) -> str:
    """The text in lower case without diacritics, letter for letter."""
    return bare(lowered(text))


def bare(lower: str) -> str:
    """A text in lower case without its diacritics, letter for letter."""
    if lower.isascii():
        return lower
    plain = {letter: _plain(letter) for letter in _beyond_ascii(lower)}
    changed = {letter: base for letter, base in plain.items() if letter != base}
    # Most texts beyond ASCII hold arrows and lines, or some letters of one language.
    if len(changed) > FEW_LETTERS:
        return lower.translate({ord(letter): base for letter, base in changed.items()})
    for letter, base in changed.items():
        lower = lower.replace(letter, base)
    return lower


def spread(lower: str, wanted: str, apart: int) -> Iterator[int]:
    """The offsets of a text in another, both in lower case, each at least `apart` characters after the last's end."""
    at = lower.find(wanted)
    while at >= 0:
        yield at
        at = lower.find(wanted, at + len(wanted) + apart)


def stretch(text: str, start: int, end: int, reach: int) -> str:
    """`start` to `end` with at most `reach` characters on either side, in whole lines where that goes."""
    low, high = max(0, start - reach), min(len(text), end + reach)
    if low:
        low = text.find("\n", low - 1, start) + 1 or low
    if high < len(text):
        line = text.rfind("\n", end, high + 1)
        high = high if line < 0 else line
    return text[low:high]


def _left(token: str) -> str:
    return "" if _cjk(token) else _NO_WORD_BEFORE


def _between(token: str, after: str) -> str:
    return _TOUCHING if _cjk(token) or _cjk(after) else _GAP


def _cjk(token: str) -> bool:
    return not token.isascii() and spaced(token) != token


def _plain(letter: str) -> str:
    if letter == FINAL_SIGMA:
        return SIGMA
    return unicodedata.normalize("NFD", letter)[0].lower()[0]
