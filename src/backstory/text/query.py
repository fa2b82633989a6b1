"""The query language for people: words, "exact phrases", names as they stand, and `key:value` filters.

Nothing a person types is an error: what is not understood as a filter is searched for. Text never becomes MATCH syntax
here; quoting for the index is done where a statement is built.
"""

import re

from backstory.records.base import Record
from backstory.text.stopwords import ENGLISH, MORE_ENGLISH

_COMMON = ENGLISH | MORE_ENGLISH
FILTERS = frozenset({"agent", "source", "project", "role", "kind", "before", "after", "surface", "path", "tool"})
_PIECE = re.compile(r'(?:(?P<key>[a-z]+):)?"(?P<phrase>[^"]*)"|(?P<word>\S+)')
_NAME_INSIDE = re.compile(r"\w[^\w\s]+\w|\w_\w|[a-z0-9][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_NAME_OUTSIDE = re.compile(r"^(?:--?\w|[.$@/]\w|#\d|~/)|\w(?:\+\+|[#%])$")
_TRIM = ".,;:!?()[]{}<>\"'`…"
_AROUND = ".,;:!?'\"()"
_TRIM_START = ",;:!?()[]{}<>\"'`…"


class Query(Record, frozen=True):
    """What was typed, taken apart.

    `words` are in order and hold names too; `names` are words with an inner structure (`foo_bar`, `src/a.py:12`,
    `--flag`, `E0401`, `c++`, camelCase) that are also looked for literally. `expand` allows stand-ins for words that
    nothing holds.
    """

    text: str
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    filters: tuple[tuple[str, str], ...] = ()
    expand: bool = True

    @property
    def telling(self) -> tuple[str, ...]:
        """The words that say what is meant: those that are not in every text."""
        return tuple(word for word in self.words if word.lower().strip(_AROUND) not in _COMMON)

    @property
    def signs(self) -> str:
        """What was typed without its filters, if no letter or digit is in it: no index holds that as words."""
        typed = " ".join((*self.words, *self.phrases))
        return "" if any(map(str.isalnum, typed)) else typed


def parse(text: str) -> Query:
    """Takes a typed query apart; every text is valid. What has several lines was pasted: its quotes ask for nothing.

    >>> parse('why drop "the retry" agent:pi src/a.py:12').filters
    (('agent', 'pi'),)
    """
    words: list[str] = []
    phrases: list[str] = []
    names: list[str] = []
    filters: list[tuple[str, str]] = []
    for piece in _PIECE.finditer(text.replace('"', " ") if "\n" in text.strip() else text):
        key, phrase, word = piece.group("key", "phrase", "word")
        if phrase is not None:
            if key in FILTERS:
                filters.append((key, phrase))
            elif phrase.strip():
                phrases.append(" ".join(phrase.split()))
            continue
        head, colon, value = word.partition(":")
        if colon and head in FILTERS and value and not value.startswith("//"):
            filters.append((head, value))
            continue
        words.append(word)
        if name := _name(word):
            names.append(name)
    return Query(text, tuple(words), tuple(phrases), tuple(dict.fromkeys(names)), tuple(filters))


def _name(word: str) -> str | None:
    bare = word.rstrip(_TRIM if not word.endswith(("++", "#")) else "").lstrip(_TRIM_START)
    if len(bare) < 2 or len(bare) > 200:
        return None
    return bare if _NAME_INSIDE.search(bare) or _NAME_OUTSIDE.search(bare) else None
