"""Finds the words of an index where they stand in a text: at its words' beginnings, inside camelCase names too; pure.

The index knows words by their stems, in lower case and without accents, and each CJK letter as a word. What is found is
meant for eyes (see `text.snippet` and the views), so a word of another stem that begins alike is found as well.
"""

from collections.abc import Iterable, Iterator, Sequence

from backstory.text.fold import spaced
from backstory.text.locate import bare, lowered, unaccented

_MOST_PLACES = 40


def begun(text: str, words: Iterable[str]) -> Iterator[list[int]]:
    """For each word, in order, where words of the text begin with it, at the first places that hold it."""
    lower = lowered(text)
    plain = ""
    for word in words:
        places = _beginnings(text, lower, word.lower())
        if not places and not lower.isascii():
            plain = plain or bare(lower)
            places = [] if plain is lower and word.isascii() else _beginnings(text, plain, unaccented(word))
        yield places


def matched(text: str, pieces: Sequence[str], words: Sequence[str]) -> list[tuple[int, int]]:
    """Start and end of whatever in a text was looked for, in order and apart: pieces in any case, words as a whole."""
    lower = lowered(text)
    found = [(at, at + len(piece)) for piece in pieces for at in _places(lower, lowered(piece))]
    for each in begun(text, {*words} - {""}):
        found += [(at, _ends(text, at)) for at in each]
    apart: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if apart and start < apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return apart


def _beginnings(text: str, lower: str, word: str) -> list[int]:
    """Where a word of the text begins with `word`; a stem stands for a final y as for an i, as in `retri`."""
    places = [at for at in _places(lower, word) if _begins(text, at)]
    if len(word) > 2 and word.endswith("i"):
        places = sorted([*places, *(at for at in _places(lower, f"{word[:-1]}y") if _begins(text, at))])
    return places


def _places(lower: str, wanted: str) -> Iterator[int]:
    at = lower.find(wanted) if wanted else -1
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = lower.find(wanted, at + len(wanted))


def _begins(text: str, at: int) -> bool:
    """Whether a word begins at this letter: behind no other, at a hump of a name, or beside a CJK letter."""
    if not at or not text[at - 1].isalnum():
        return True
    if text[at].isupper() and not (text[at - 1].isupper() and not text[at + 1 : at + 2].islower()):
        return True
    return _cjk(text[at]) or _cjk(text[at - 1])


def _ends(text: str, at: int) -> int:
    end = at + 1
    while not _cjk(text[at]) and end < len(text) and text[end].isalnum() and not _cjk(text[end]):
        end += 1
    return end


def _cjk(letter: str) -> bool:
    return spaced(letter) != letter
