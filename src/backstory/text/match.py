"""Builds FTS5 MATCH expressions out of plain tokens; the only place where that syntax is written.

Every token is quoted with its quotes doubled, so whatever a person typed stays data.
"""

from collections.abc import Sequence

LONGEST_PHRASE = 32


def quoted(text: str) -> str:
    """One phrase."""
    return '"' + text.replace('"', '""') + '"'


def phrase(tokens: Sequence[str]) -> str:
    """One phrase of the first of some tokens, for rows in which the whole is then looked for.

    FTS5 goes through the rows of each token of a phrase.
    """
    return quoted(" ".join(tokens[:LONGEST_PHRASE]))


def any_of(tokens: Sequence[str]) -> str:
    """Rows with at least one of the tokens."""
    return " OR ".join(quoted(token) for token in tokens)


def two_tier(rare: Sequence[str], common: Sequence[str]) -> str:
    """Rows with a rare token; common ones are looked at only in those rows.

    Phrase order: the rare tokens, their repetition, the common ones. Without the second half FTS5 would score every
    row that holds a common token.
    """
    first = any_of(rare)
    return f"({first}) OR (({first}) AND ({any_of(common)}))" if common else first


def in_columns(columns: Sequence[str], expression: str) -> str:
    """The expression, restricted to some columns."""
    return "{" + " ".join(columns) + "} : (" + expression + ")"
