"""Builds FTS5 MATCH expressions out of plain tokens; the only place where that syntax is written.

Every token is quoted with its quotes doubled, so whatever a person typed stays data.
"""

from collections.abc import Sequence


def quoted(text: str) -> str:
    """One phrase."""
    return '"' + text.replace('"', '""') + '"'


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
