"""Reads a query as the indexes need it: the words that MATCH wants, those that stand in for others, and where to look.

Before it in the flow: `text.query`. After it: `candidates`, and `held` for names and exact phrases.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import msgspec

from backstory.records.base import Record
from backstory.retrieve import terms
from backstory.retrieve.expand import MOST_TOKENS, Meant, expand
from backstory.store import statistics, vocabulary
from backstory.store.history import History
from backstory.store.where import Clause
from backstory.text import dates
from backstory.text.fold import spaced
from backstory.text.parts import camel_parts
from backstory.text.query import Query

RECENT_ROWS = 20_000
# Tokens of the index that holds results, too, are counted up to here.
RESULTS_COUNTED = 300


class SearchBounds(Record, frozen=True):
    """Where a query looks: its conditions, the ids rows lie in, and the id above which words are looked for.

    A `short` query looks at fewer rows. `times` are those it names.
    """

    where: Clause
    ids: range
    oldest: int
    short: bool
    times: tuple[dates.Date, ...] = ()


class Asked(Record, frozen=True):
    """What a query asks of the indexes within `bounds`.

    `words` are in order as MATCH wants them, `tokens` the different plain ones; both end in stand-ins for the `others`.
    `telling` are the words that say what is meant, as they were typed. `alone`: one such word is all that was asked.
    """

    bounds: SearchBounds
    words: Sequence[str]
    tokens: Sequence[str]
    telling: Sequence[str]
    others: Sequence[Meant]
    alone: bool

    @property
    def alike(self) -> list[tuple[str, ...]]:
        """Groups of words that stand for one each."""
        return [meant.words for meant in self.others]


def asked(history: History, query: Query, where: Clause) -> Asked:
    """What a query with words or phrases asks where conditions hold."""
    times, telling = _taken(query)
    text = spaced(" ".join([*(telling or query.words), *query.phrases]))
    said = vocabulary.tokens(history, text, stemmed=False)
    tokens = terms.counted(said)
    words = _spelled(history, f"{text} {camel_parts(text)}")
    bounds = _bounds(history, query, where, words, times)
    others: Sequence[Meant] = ()
    if query.expand and len(tokens) <= MOST_TOKENS:
        others = expand(history, _holders(history, dict(zip(said, words, strict=False))), text)
        words = _standing_in(history, text, others) if others else words
    tokens = list(dict.fromkeys(chain(tokens, *(meant.words for meant in others))))
    return Asked(bounds, words, tokens, telling, others, alone=len(telling) == 1 and not query.phrases)


def _taken(query: Query) -> tuple[tuple[dates.Date, ...], tuple[str, ...]]:
    """The times that a query names, and the words that say what is meant, without those of times if there are others.

    The numbers of a date stand in every log that somebody pasted, and say there what they do not mean here.
    """
    times, rest = dates.taken(" ".join(query.words))
    undated = msgspec.structs.replace(query, words=tuple(rest.split())).telling if times else ()
    return times, undated or query.telling


def _bounds(
    history: History, query: Query, where: Clause, words: Sequence[str], times: tuple[dates.Date, ...]
) -> SearchBounds:
    ids = statistics.entry_ids(history)
    # Words that carry no topic say nothing about which old entry is meant.
    oldest = 0 if query.telling else max(ids.stop - 1 - RECENT_ROWS, 0)
    short = terms.few(" ".join([*query.words, *query.phrases]), terms.counted(words))
    return SearchBounds(where, ids, oldest, short, times)


def _holders(history: History, spelled: Mapping[str, str]) -> dict[str, int]:
    """Whether entries hold each token, as words in some form or else as it stands."""
    docs = statistics.frequencies(history, "word", terms.counted([*spelled.values()]), terms.COUNTED)
    said = {token: docs[word] for token, word in spelled.items() if docs[word]}
    unsaid = [token for token in spelled if token not in said]
    return dict.fromkeys(spelled, 0) | said | statistics.frequencies(history, "literal", unsaid, RESULTS_COUNTED)


def _spelled(history: History, text: str) -> list[str]:
    """The words of a text in order, each in the spelling in which its stem first occurs.

    MATCH wants the word: the tokenizer stems it again, and a stem has another stem.
    """
    stems = vocabulary.tokens(history, text, stemmed=True)
    first: dict[str, str] = {}
    for stem, token in zip(stems, vocabulary.tokens(history, text, stemmed=False), strict=True):
        first.setdefault(stem, token)
    return [first[stem] for stem in stems]


def _standing_in(history: History, text: str, found: Sequence[Meant]) -> list[str]:
    """The words of a text, then those that stand in for some of them."""
    # The parts of a name that is cut off at both ends are no words.
    cut = {meant.word for meant in found}
    parts = camel_parts(" ".join(word for word in text.split() if word.lower() not in cut))
    return _spelled(history, " ".join([text, parts, *chain.from_iterable(meant.words for meant in found)]))
