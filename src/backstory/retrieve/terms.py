"""Chooses which words of a query are looked up, so that no query costs more than a bounded number of postings.

Rare terms select the rows, common ones only help to rank them. When even the rarest is common, only the newest rows
are looked at, and the result says so.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

from backstory.records.base import Record
from backstory.store.search import WordMatch
from backstory.text.match import any_of, two_tier

MOST_TERMS = 24
# Selecting terms stand in the expression twice, and each phrase costs on every row.
MOST_RARE = 12
MOST_POSTINGS = 2_000
# FTS5 goes through all rows of every term it ranks by.
COMMON_POSTINGS = 30_000
# A query of a few words is answered from fewer rows: each of its words says more, and people wait for it. A question is
# longer, also where few of its words tell anything.
FEW_WORDS = 5
FEW_TERMS = 6
MOST_POSTINGS_OF_FEW = 1_500
COMMON_POSTINGS_OF_FEW = 10_000
# A rarest term this many times over the budget is looked up among the newest rows only; and so many times the rows that
# are wanted are taken without being ranked.
SLACK = 2
# Words are counted up to here; how common a commoner one is, is estimated.
COUNTED = 300


class Term(Record, frozen=True):
    """A token with the number of rows that hold it."""

    text: str
    docs: int


class Reach(Record, frozen=True):
    """At most so many rows are taken: the best ones by FTS5, which has to rank all for that, or the newest."""

    limit: int
    ranked: bool = True


class Choice(Record, frozen=True):
    """The terms that select rows, those that only rank, and the row id above which rows are looked at."""

    rare: tuple[Term, ...]
    common: tuple[Term, ...]
    floor: int = 0

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, the selecting ones first."""
        return self.rare + self.common

    @property
    def alone(self) -> "Choice":
        """The selecting terms without those that only rank."""
        return Choice(self.rare, (), self.floor)

    def reach(self, limit: int) -> Reach:
        """How many rows to take where at least `limit` are wanted.

        When there are hardly more rows than wanted, all are taken: telling the best apart takes longer than weighing
        them all. Of the newest rows of one common term, the very newest are taken.
        """
        if self.floor and not self.common:
            return Reach(SLACK * limit, ranked=False)
        rows = sum(term.docs for term in self.rare)
        return Reach(limit) if rows > SLACK * limit else Reach(SLACK * limit, ranked=False)


def counted(tokens: Sequence[str]) -> list[str]:
    """The different tokens of a query that are worth counting."""
    return list(dict.fromkeys(tokens))[: 2 * MOST_TERMS]


def few(typed: str, tokens: Sequence[str]) -> bool:
    """Whether what somebody typed is a few words, not a question."""
    return len(typed.split()) <= FEW_WORDS and len(tokens) <= FEW_TERMS


def choose(docs: Mapping[str, int], ids: range, most: int | None = None, *, short: bool = False) -> Choice | None:
    """The choice among counted tokens of rows with such ids; None when no row holds any of them.

    `most` is how many rows may be scored, by default fewer for a `short` query.
    """
    terms = sorted((Term(token, n) for token, n in docs.items() if n), key=lambda term: (term.docs, term.text))
    if not terms:
        return None
    budget = most or (MOST_POSTINGS_OF_FEW if short else MOST_POSTINGS)
    rare = _within(terms[: MOST_TERMS if most else MOST_RARE], budget) or terms[:1]
    common = _within(terms[len(rare) : MOST_TERMS], COMMON_POSTINGS_OF_FEW if short else COMMON_POSTINGS)
    spent = sum(term.docs for term in rare)
    window = budget / spent if spent > budget * SLACK else 1.0
    passed = int(len(ids) * (1 - window))
    return Choice(tuple(rare), tuple(common), floor=ids[passed - 1] if passed else 0)


def _within(terms: Sequence[Term], budget: int) -> list[Term]:
    """The first of some terms whose rows add up to no more than a budget."""
    sums = accumulate(term.docs for term in terms)
    return [term for term, spent in zip(terms, sums, strict=True) if spent <= budget]


def word_match(choice: Choice, tokens: Sequence[str], alike: Sequence[Sequence[str]] = ()) -> WordMatch:
    """The MATCH expression of a choice, with evidence asked for in query order so that neighbours can be told.

    Words of `alike` stand in for others, and nobody typed them beside each other.
    """
    rare = [term.text for term in choice.rare]
    common = [term.text for term in choice.common]
    numbers = {text: i for i, text in enumerate(rare)} | {text: 2 * len(rare) + i for i, text in enumerate(common)}
    order = in_query_order(choice, tokens)
    places = [numbers[text] for text in order]
    stand_ins = {word for group in alike for word in group}
    pairs = [at for at in neighbours(order, tokens) if order[at + 1] not in stand_ins]
    return WordMatch(two_tier(rare, common), tuple(places), tuple(pairs))


def in_query_order(choice: Choice, tokens: Sequence[str]) -> list[str]:
    """The chosen terms in the order in which they first occur in the query."""
    chosen = {term.text for term in choice.terms}
    return [token for token in dict.fromkeys(tokens) if token in chosen]


def neighbours(order: Sequence[str], tokens: Sequence[str]) -> list[int]:
    """Positions i for which order[i] and order[i+1] stand next to each other in the query."""
    beside = set(pairwise(tokens))
    return [i for i in range(len(order) - 1) if (order[i], order[i + 1]) in beside]


def plain_match(choice: Choice) -> str:
    """A MATCH expression for rows with any selecting term."""
    return any_of([term.text for term in choice.rare])
