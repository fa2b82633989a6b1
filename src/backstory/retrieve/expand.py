"""Finds what a word that no entry holds may have meant: words it begins or stands in, or words a slip or two away.

Only unknown words of short queries are expanded, a few of each, so a query that means what it says pays nothing. One
slip is looked up variant by variant, which costs the same in a vocabulary of any size; two slips are looked for among
the words with the same beginning. Words around a piece are found by `inside`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from backstory.records.base import Record
from backstory.retrieve.inside import beneath_accents, inside
from backstory.store import vocabulary
from backstory.store.history import History
from backstory.text.accents import accented, equivalent, folded, ligated, spelled_out
from backstory.text.stopwords import ENGLISH, MORE_ENGLISH

MOST_TOKENS = 4
MOST_UNKNOWN = 3
MOST_MEANT = 6
SHORTEST = 4
# Nobody mistypes a longer word: it is data, and what lies one slip away from it grows with the square of its length.
LONGEST = 40
SHORTEST_OF_TWO_SLIPS = 7
SHORTEST_PIECE = 5
SCANNED = 4_000
_FILLERS = ENGLISH | MORE_ENGLISH
_CAPITAL_INSIDE = re.compile(r"[a-z][A-Z]")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Meant(Record, frozen=True):
    """An unknown word and what stands in for it, likeliest first."""

    word: str
    words: tuple[str, ...]


def expand(history: History, docs: Mapping[str, int], typed: str) -> list[Meant]:
    """Stand-ins for the unknown ones among the plain tokens of a query; words without any are left out.

    `docs` says how many rows of the literal index hold each token of what was `typed`.
    """
    if len(docs) > MOST_TOKENS:
        return []
    unknown = [token for token in docs if not docs[token] and _worth(token) and not _said(history, token)]
    return [
        Meant(token, found)
        for token in unknown[:MOST_UNKNOWN]
        if (found := _meant(history, token, _spelling(token, typed)))
    ]


def _worth(token: str) -> bool:
    letters = spelled_out(token)
    return SHORTEST <= len(letters) <= LONGEST and letters.isalpha() and letters not in _FILLERS


def _said(history: History, token: str) -> bool:
    """Whether the word index holds the stem, in another form of the word."""
    return any(vocabulary.documents(history, stem) for stem in vocabulary.tokens(history, token, stemmed=True))


def _spelling(token: str, typed: str) -> str:
    """A token as it was typed, with its capitals and accents."""
    typed = unicodedata.normalize("NFC", typed)
    for seen in (typed.lower(), "".join(map(folded, typed))):
        at = seen.find(token)
        if at >= 0 and len(seen) == len(typed):
            return typed[at : at + len(token)]
    return token


def _written(token: str, spelled: str) -> Iterator[str]:
    """A piece as texts may hold it: plain, as it was typed, and as it may be printed."""
    yield from dict.fromkeys((token, *equivalent(spelled.lower()), *ligated(token)[:1]))


def _meant(history: History, token: str, spelled: str) -> tuple[str, ...]:
    """The likeliest words that one way finds, in the order of the ways.

    Words of grammar stand in for nothing: a query that has them among others leaves them out.
    """
    for found, shortest in _ways(history, token, spelled):
        if found:
            return _best(found, shortest=shortest)
    return ()


def _ways(history: History, token: str, spelled: str) -> Iterator[tuple[Sequence[tuple[str, int]], bool]]:
    """The word as it may be printed; words it begins, one slip away, around it, two slips away; accented ones around.

    Each comes with whether shorter ones are likelier. Nobody slips into a capital inside a word: that is a piece of a
    name, so names that hold it as it stands come first, and others before slips.
    """
    typed, token, spelled = token, spelled_out(token), spelled_out(spelled)
    if printed := [form for form in (token, *ligated(token)) if form != typed]:
        yield vocabulary.among(history, printed), True
    piece = _CAPITAL_INSIDE.search(spelled) is not None
    if piece:
        yield inside(history, spelled), True
    yield vocabulary.starting(history, token, SCANNED), True
    if piece:
        yield inside(history, token), True
    yield vocabulary.among(history, sorted(slips(token))), False
    for written in _written(token, spelled) if len(token) >= SHORTEST_PIECE and not piece else ():
        yield inside(history, written), True
    if len(token) >= SHORTEST_OF_TWO_SLIPS:
        yield _two_slips(history, token), False
    if len(token) >= SHORTEST_PIECE and token.isascii():
        yield beneath_accents(history, token), True


def _two_slips(history: History, token: str) -> list[tuple[str, int]]:
    alike = vocabulary.starting(history, token[:2], SCANNED)
    return [(word, docs) for word, docs in alike if abs(len(word) - len(token)) <= 2 and distance(word, token) == 2]


def _best(found: Iterable[tuple[str, int]], *, shortest: bool = False) -> tuple[str, ...]:
    telling = [pair for pair in found if pair[0] not in _FILLERS]
    ordered = sorted(telling, key=lambda pair: (len(pair[0]) if shortest else 0, -pair[1], pair[0]))
    return tuple(word for word, _ in ordered[:MOST_MEANT])


def slips(word: str) -> set[str]:
    """Everything one letter dropped, doubled up, swapped with its neighbour or mistaken for another away from a word.

    A letter is mistaken for an English one, or for itself with another accent.

    >>> "form" in slips("from"), "frm" in slips("from"), "froom" in slips("from")
    (True, True, True)
    """
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {left + right[1:] for left, right in cuts if right}
    found |= {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    found |= {left + letter + right[1:] for left, right in cuts if right for letter in LETTERS}
    found |= {left + letter + right for left, right in cuts for letter in LETTERS}
    found |= {left + letter + right[1:] for left, right in cuts if right for letter in accented(right[0])}
    return found - {word}


def distance(one: str, other: str) -> int:
    """How many letters to drop, add, change or swap with their neighbour until one word is the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for to, wanted in enumerate(other, 1):
            cost = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == wanted:
                cost = min(cost, earlier[to - 2] + 1)
            row.append(cost)
    return row[-1]
