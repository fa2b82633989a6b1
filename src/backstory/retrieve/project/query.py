"""Makes a request ready to be looked up in a project: which of its words stand there, how rare they are, what to ask.

In a large project what costs the most is left out: phrases of common words, and words beyond a bound on postings.
Neighbours: `words` before, `candidates` after.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice

import msgspec

from backstory.retrieve.project.scope import ScopedRequest
from backstory.retrieve.project.scores import idf
from backstory.retrieve.project.words import MOST_WORDS, Word, pairs, selecting
from backstory.store.project.search import ProjectSearch, Totals

SMALL_PROJECT = 1_500
SMALL_POSTINGS = 16_000
POSTINGS = 1_200
POSTINGS_PER_FILE = 0.02
PHRASE_DOCUMENTS = 500
# In a large project a phrase is not looked for when each of its words stands in more files than this.
PHRASE_POSTINGS = 800


class SourceQuery(msgspec.Struct):
    """A request ready to be looked up: its words, rarest and heaviest first, and which of them stand side by side.

    `tests` and `documents` say whether it speaks of such. `spoken` are its words as they were typed, `scope` names of
    folders and files in it, `issues` numbers of tickets.
    """

    words: list[Word]
    pairs: list[tuple[int, int]]
    totals: Totals
    tests: bool
    documents: bool
    spoken: frozenset[str]
    scope: frozenset[str]
    issues: list[str]

    @property
    def large(self) -> bool:
        """Whether the project has too many files to score all that hold a word."""
        return _large(self.totals)

    @property
    def postings(self) -> int:
        """How many rows the first stage may score: all that matter in a small project, a bound in a large one."""
        return _postings(self.totals)

    @property
    def phrases(self) -> list[str]:
        """Every spelling of every word, in order."""
        return [phrase for word in self.words for phrase in word.phrases]


def source_query(
    search: ProjectSearch,
    request: ScopedRequest,
    found: Sequence[Word],
    totals: Totals,
    wanted: tuple[bool, bool],
    issues: list[str],
) -> SourceQuery:
    """The query for the weighted words of a request; `wanted`: whether it speaks of tests, and of documents."""
    large = _large(totals)
    simple = {word.phrases[0] for word in found if word.simple}
    parts = {stem for word in found for phrase in word.phrases if " " in phrase for stem in phrase.split()}
    bodies = search.documents(simple | parts if large else simple)
    paths = search.path_documents(simple)
    for word in found:
        if word.simple:
            word.docs, word.path_docs = bodies[word.phrases[0]], paths[word.phrases[0]]
        elif large:
            word.phrases = tuple(phrase for phrase in word.phrases if _cheap(phrase, bodies)) or word.phrases[:1]
    _look_up(search, [word for word in found if not word.simple])
    present = [word for word in found if word.docs or word.path_docs]
    present.sort(key=lambda word: (-word.weight * idf(word.docs, totals.files), word.phrases))
    if large:
        counted = {word.phrases for word in selecting(present, 2 * _postings(totals), MOST_WORDS)}
        present = [word for word in present if word.phrases in counted or not word.docs]
    present = present[:MOST_WORDS]
    beside = pairs(request.text, present, search.stems)
    spoken = frozenset(word.shown.lower() for word in present)
    return SourceQuery(present, beside, totals, *wanted, spoken, request.names, issues)


def _large(totals: Totals) -> bool:
    return totals.files > SMALL_PROJECT


def _postings(totals: Totals) -> int:
    return POSTINGS + int(totals.files * POSTINGS_PER_FILE) if _large(totals) else SMALL_POSTINGS


def _look_up(search: ProjectSearch, found: Sequence[Word]) -> None:
    """Counts the files that hold words which are no single tokens, and keeps those of rare ones."""
    rows = iter(
        search.with_phrase((phrase for word in found for phrase in word.phrases), PHRASE_DOCUMENTS) if found else ()
    )
    for word in found:
        held = list(islice(rows, len(word.phrases)))
        word.docs = sum(map(len, held))
        if all(len(ids) < PHRASE_DOCUMENTS for ids in held):
            word.held = frozenset(chain.from_iterable(held))


def _cheap(phrase: str, bodies: Counter[str]) -> bool:
    """Whether a phrase may stand in a file, as far as its words tell, and is found without walking long postings."""
    return " " not in phrase or 0 < min(bodies[stem] for stem in phrase.split()) <= PHRASE_POSTINGS
