"""Which passages of a history hold a word: an index that grows passage by passage.

Words are told apart without regard to case and are found by their beginning, or by the beginning of one of their parts
after an underscore or a digit: a request that says "lock" finds "locked" and "file_lock". What a passage is, is for
`plan.working` to say.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping
from itertools import islice

_WORD = re.compile(r"\w{2,64}")
_MOST_BEGUN = 200  # so many beginnings of words are remembered with the words that they lead to


class Words:
    """The passages, by number and ascending, that hold each word."""

    def __init__(self) -> None:
        self._places: dict[str, array[int]] = {}
        self._known = 0
        self._joined = "\n"
        self._begun: dict[str, tuple[list[str], int]] = {}

    def add(self, passage: int, text: str) -> None:
        """Take in a passage; its number must be higher than those before."""
        places, known = self._places, self._places.get
        for word in dict.fromkeys(_WORD.findall(text.lower())):
            at = known(word)
            if at is None:
                places[word] = array("I", (passage,))
            else:
                at.append(passage)

    def holding(self, term: str, until: int = 1 << 32, most: int = 1 << 32) -> set[int]:
        """The passages before `until` with a word, or words, that begin like those of a term in lower case.

        Those of a term that stands in more than `most` passages tell nothing: there are none then.
        """
        parts = _WORD.findall(term)
        if not parts:
            return set()
        found = self._beginning(parts[0], until, most if len(parts) == 1 else until)
        for part in parts[1:]:
            found &= self._beginning(part, until, until)
        return found if len(found) <= most else set()

    def _beginning(self, start: str, until: int, most: int) -> set[int]:
        """The passages with a word that begins so; no more are gathered once they are more than `most`."""
        if self._known != len(self._places):
            self._joined += "\n".join((*islice(self._places, self._known, None), ""))
            self._known = len(self._places)
        text = self._joined
        if len(self._begun) >= _MOST_BEGUN:
            self._begun.clear()
        words, seen = self._begun.get(start, ([], 0))
        at = text.find(start, seen)
        while at >= 0:
            if not text[at - 1].isalpha():
                words.append(text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)])
            at = text.find(start, at + 1)
        self._begun[start] = words, len(text)
        found: set[int] = set()
        for places in map(self._places.__getitem__, words):
            found.update(places if places[-1] < until else places[: bisect_left(places, until)])
            if len(found) > most:
                break
        return found

    def dump(self) -> dict[str, bytes]:
        """All of it, in a form that `restored` understands."""
        return {word: places.tobytes() for word, places in self._places.items()}

    @classmethod
    def restored(cls, content: Mapping[str, bytes]) -> "Words":
        """The index that was dumped.

        Raises:
            ValueError: the content is not a dump.
        """
        made = cls()
        made._places = {word: array("I", places) for word, places in content.items()}
        return made
