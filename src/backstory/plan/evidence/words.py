"""Which passages of a history hold a word: an index that grows passage by passage.

Words are told apart without regard to case and are found by their beginning, or by the beginning of one of their parts
after an underscore or a digit: a request that says "lock" finds "locked" and "file_lock". What a passage is, is for
`plan.evidence.working` to say.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import islice

_WORD = re.compile(r"\w{2,64}")
_MOST_BEGUN = 200  # so many beginnings of words are remembered with the words that they lead to


class _Begun:
    """What is known of a beginning: the words with it among the first `seen` characters of all, and their passages.

    Of these, `places` holds those before `until`. `crowded` says before which passage there are more than how many.
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self.seen = 0
        self.places: list[int] = []
        self.until = 0
        self.crowded: tuple[int, int] | None = None


class Words:
    """The passages, by number and ascending, that hold each word."""

    def __init__(self) -> None:
        self._places: dict[str, array[int]] = {}
        self._known = 0
        self._joined = "\n"
        self._begun: dict[str, _Begun] = {}
        self._passages = 0

    def add(self, passage: int, text: str) -> None:
        """Take in a passage; its number must be higher than those before."""
        self._passages = passage + 1
        places, known = self._places, self._places.get
        for word in dict.fromkeys(_WORD.findall(text.lower())):
            at = known(word)
            if at is None:
                places[word] = array("I", (passage,))
            else:
                at.append(passage)

    def holding(self, term: str, until: int = 1 << 32, most: int = 1 << 32) -> Sequence[int]:
        """The passages before `until`, ascending, with a word, or words, that begin like those of a term in lower case.

        Those of a term that stands in more than `most` passages tell nothing: there are none then.
        """
        parts = _WORD.findall(term)
        if len(parts) == 1:
            return self._beginning(parts[0], until, most)
        if not parts:
            return ()
        found = set(self._beginning(parts[0], until, until))
        for part in parts[1:]:
            found.intersection_update(self._beginning(part, until, until))
        return sorted(found) if len(found) <= most else ()

    def _beginning(self, start: str, until: int, most: int) -> Sequence[int]:
        """The passages with a word that begins so; of more than `most`, none. What was found is not gathered again."""
        begun = self._begun_with(start)
        if begun.crowded is not None and until >= begun.crowded[0] and most <= begun.crowded[1]:
            return ()
        places = begun.places
        if until <= begun.until:
            found = places[: bisect_left(places, until)]
            return found if len(found) <= most else ()
        new: set[int] = set()
        least = begun.until
        for held in map(self._places.__getitem__, begun.words):
            if held[-1] >= least:
                new.update(held[bisect_left(held, least) if least else 0 : bisect_left(held, until)])
                if len(places) + len(new) > most:
                    begun.crowded = until, most
                    return ()
        places.extend(sorted(new))
        begun.until = min(until, self._passages)
        return places[:] if len(places) <= most else ()

    def _begun_with(self, start: str) -> "_Begun":
        """The words that begin so, looked for only in those that are new."""
        if self._known != len(self._places):
            self._joined += "\n".join((*islice(self._places, self._known, None), ""))
            self._known = len(self._places)
        if len(self._begun) >= _MOST_BEGUN:
            self._begun.clear()
        begun, text = self._begun.setdefault(start, _Begun()), self._joined
        at = text.find(start, begun.seen)
        while at >= 0:
            if not text[at - 1].isalpha():
                begun.words.append(text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)])
            at = text.find(start, at + 1)
        begun.seen = len(text)
        return begun

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
        made._passages = max((places[-1] for places in made._places.values()), default=-1) + 1
        return made
