"""Turns filter records into SQL conditions and their arguments; the only place that builds SQL from parts.

Values are always bound. A condition reads from the aliases `e` (entries) and, through its session, `sessions`.
"""

from collections.abc import Mapping, Sequence

from backstory.records.base import Record
from backstory.records.filters import EntryFilter, SessionFilter


class Clause(Record, frozen=True):
    """Conditions to append to a WHERE that already has one, each led by AND, with their named arguments.

    `copies` asks for entries that repeat another one as well.
    """

    sql: str
    args: Mapping[str, object]
    copies: bool = False


_ANY = "EXISTS (SELECT 1 FROM (VALUES {}) WHERE {})"
_AVAILABLE = {"live": "s.key < 0", "present": "s.missing = 0", "missing": "s.missing = 1"}


class Builder:
    """Collects conditions (`parts`) and hands out names for their arguments (`args`)."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.parts: list[str] = []
        self.args: dict[str, object] = {}

    def bind(self, value: object) -> str:
        """A placeholder for a value."""
        name = f"{self._prefix}{len(self.args)}"
        self.args[name] = value
        return f":{name}"

    def among(self, column: str, values: Sequence[object] | None) -> None:
        """The column equals one of the values; None among them means NULL; an empty list matches nothing."""
        if values is None:
            return
        plain = [value for value in values if value is not None]
        options = [f"{column} IN ({', '.join(map(self.bind, plain))})"] if plain else []
        if len(plain) < len(values):
            options.append(f"{column} IS NULL")
        self.parts.append(f"({' OR '.join(options)})" if options else "0")

    def between(self, column: str, bounds: tuple[int | None, int | None] | None) -> None:
        """The column lies in an inclusive range whose ends may be open."""
        low, high = bounds or (None, None)
        if low is not None:
            self.parts.append(f"{column} >= {self.bind(low)}")
        if high is not None:
            self.parts.append(f"{column} <= {self.bind(high)}")

    def containing(self, column: str, values: Sequence[str] | None) -> None:
        """The column holds one of the texts, case-insensitively for ASCII letters; an empty list matches nothing.

        Of several a table is made, as SQLite allows no more than a thousand conditions joined by OR.
        """
        if values is None:
            return
        marks = [self.bind(_holding(value)) for value in values]
        like = f"{column} LIKE {{}} ESCAPE '\\'"
        if len(marks) > 1:
            rows = ", ".join(f"({mark})" for mark in marks)
            self.parts.append(_ANY.format(rows, like.format("column1")))
        else:
            self.parts.append(like.format(marks[0]) if marks else "0")

    def available(self, words: Sequence[str] | None) -> None:
        """The session is live (live keys are negative), its file is there, or its file is gone."""
        if words is not None:
            states = [_AVAILABLE[word] for word in dict.fromkeys(words)]
            self.parts.append(f"({' OR '.join(states)})" if states else "0")

    def inside(self, clause: str, inner: "Builder") -> None:
        """A condition on another table, left out when nothing is asked of it."""
        if inner.parts:
            self.parts.append(clause.format(" AND ".join(inner.parts)))
            self.args |= inner.args

    def clause(self) -> Clause:
        """Everything collected, each condition led by AND."""
        return Clause("".join(f" AND {part}" for part in self.parts), self.args)


def _holding(value: str) -> str:
    return "%" + value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def sessions_where(sessions: SessionFilter, prefix: str = "s") -> Builder:
    """Conditions on rows of `sessions s`."""
    build = Builder(prefix)
    build.among("s.id", sessions.ids)
    build.among("s.source", sessions.sources)
    build.among("s.cwd", sessions.cwds)
    build.among("s.parent", sessions.parents)
    build.among("s.origin", sessions.origins)
    build.between("s.created", sessions.created)
    build.containing("s.cwd", sessions.projects)
    build.available(sessions.availability)
    return build


def entries_where(entries: EntryFilter, sessions: SessionFilter | None = None, prefix: str = "") -> Clause:
    """Conditions on rows of `entries e`, and on their sessions; `prefix` keeps arguments of several clauses apart."""
    build = Builder(f"{prefix}e")
    build.among("e.kind", entries.kinds)
    build.among("e.role", entries.roles)
    build.among("e.surface", entries.surfaces)
    build.between("e.seq", entries.seq)
    build.between("e.time", entries.time)
    build.containing("e.paths", entries.paths)
    build.containing("e.tool", entries.tools)
    if entries.session is not None:
        build.among("e.session", [entries.session])
    if sessions is not None:
        build.inside("e.session IN (SELECT s.key FROM sessions s WHERE {})", sessions_where(sessions, f"{prefix}s"))
    return build.clause()


def all_of(clauses: Sequence[Clause]) -> Clause:
    """Several clauses at once; their arguments must have different names."""
    args: dict[str, object] = {}
    for clause in clauses:
        args |= clause.args
    return Clause("".join(clause.sql for clause in clauses), args)
