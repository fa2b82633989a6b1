"""Turns the filters a person typed into conditions; what cannot be understood is said and left out."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta

from backstory.engine.loading import load
from backstory.records.filters import EntryFilter, SessionFilter
from backstory.records.session import KINDS, ROLES, SURFACES
from backstory.retrieve.expand import distance
from backstory.sources import registry
from backstory.store.where import Clause, entries_where
from backstory.text.query import FILTERS, Query
from backstory.text.wording import EPOCH

HERE = "."
FORMATS = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m", "%Y")
UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
# A day is what it is where the person lives, so it begins at midnight there.
DAYS = {"today": 0, "yesterday": 1}
MOST_DIGITS = 4


def narrowed(query: Query, now: int) -> tuple[Clause, list[str]]:
    """The conditions of a query's filters, with a warning for each filter that was left out.

    Filters of one key are ORed, different keys ANDed; of several times the narrowest counts. Dates are UTC unless they
    name an offset; `before:` excludes the day named. `now` is in Unix milliseconds.
    """
    given = _Filters(query, EPOCH + timedelta(milliseconds=now))
    after, before = max(given.times("after"), default=None), min(given.times("before"), default=None)
    entries = EntryFilter(
        kinds=given.known("kind", KINDS),
        roles=given.known("role", ROLES),
        surfaces=given.known("surface", SURFACES),
        time=(after, None if before is None else before - 1) if (after, before) != (None, None) else None,
        paths=given.parts("path"),
        tools=given.parts("tool"),
    )
    agents = given.agents()
    projects = given.parts("project")
    sessions = SessionFilter(sources=agents, projects=None if projects is None else folders(projects))
    return entries_where(entries, sessions), [*_misspelt(query.words), *given.warnings, *strangers(agents or ())]


class _Filters:
    """The values that a query gives each key; `warnings` are about those that are left out."""

    def __init__(self, query: Query, now: datetime) -> None:
        self._now = now
        self._values: dict[str, list[str]] = {}
        for key, value in query.filters:
            self._values.setdefault({"source": "agent"}.get(key, key), []).append(value)
        self.warnings: list[str] = []

    def agents(self) -> tuple[str, ...] | None:
        """The agents that are meant."""
        return named(self._values["agent"]) if "agent" in self._values else None

    def parts(self, key: str) -> tuple[str, ...] | None:
        """The texts of which one is to be held."""
        return tuple(dict.fromkeys(self._values[key])) if key in self._values else None

    def known(self, key: str, words: Sequence[str]) -> tuple[str, ...] | None:
        """The words that the values of a key mean."""
        known = tuple(map(str, words))
        meant = {value: _meant(value, known) for value in self._values.get(key, ())}
        bad = [value for value, word in meant.items() if word is None]
        if bad:
            self.warnings.append(f"{key}:{bad[0]} is not known and was left out; known: {', '.join(known)}")
        return tuple(word for word in meant.values() if word) or None

    def times(self, key: str) -> list[int]:
        """The moments of a key, in Unix milliseconds."""
        moments = {text: _ago(text.lower(), self._now) or _moment(text) for text in self._values.get(key, ())}
        bad = [text for text, moment in moments.items() if moment is None]
        self.warnings += [f"{key}:{text} is not a date and was left out; write it as 2026-01-31 or 7d" for text in bad]
        found = [moment for moment in moments.values() if moment is not None]
        return [int((moment - EPOCH) / timedelta(milliseconds=1)) for moment in found]


def named(agents: Sequence[str]) -> tuple[str, ...]:
    """The agents that are meant: in either case, and by a beginning that only one has; others stay as they are."""
    return tuple(_meant(name, registry.names()) or name for name in agents)


def folders(values: Sequence[str]) -> tuple[str, ...]:
    """What folders are to contain: `.` is the Git work tree around the folder that is worked in, or that folder."""
    return tuple(str(load("project.root:enclosing")(os.getcwd())) if value == HERE else value for value in values)


def _meant(value: str, known: Sequence[str]) -> str | None:
    value = value.lower()
    found = [word for word in known if word == value] or [word for word in known if value and word.startswith(value)]
    return found[0] if len(found) == 1 else None


def strangers(agents: Sequence[str]) -> tuple[str, ...]:
    """A warning about the first of these names that no agent has, if any."""
    found = [name for name in agents if name not in registry.names()]
    return (f"no agent is called {found[0]}; known: {', '.join(registry.names())}",) if found else ()


def _misspelt(words: Sequence[str]) -> list[str]:
    """A line for each word that would be a filter but for one letter."""
    found = []
    for word in words:
        head, colon, value = word.partition(":")
        if colon and value and head not in FILTERS:
            near = next((key for key in sorted(FILTERS) if distance(head.lower(), key) <= 1), None)
            found += [f"{word} was looked for as it stands; {near}:{value} would be a filter"] if near else []
    return found


def _ago(text: str, now: datetime) -> datetime | None:
    """A time told from now: `today`, `yesterday`, midnight so many days or weeks ago (`7d`, `2w`), the hour `3h` ago.

    They begin at a whole hour, as the pages of an answer have to mean the same.
    """
    count, unit = text[:-1], text[-1:]
    counts = unit in UNITS and count.isascii() and count.isdecimal() and len(count) <= MOST_DIGITS
    if counts and unit == "h":
        return now.replace(minute=0, second=0, microsecond=0) - int(count) * UNITS[unit]
    if not (counts or text in DAYS):
        return None
    back = int(count) * UNITS[unit] if counts else timedelta(days=DAYS[text])
    return datetime.combine(now.astimezone().date() - back, time()).astimezone()


def _moment(text: str) -> datetime | None:
    """A date as people write it, else a time as logs write it, with its zone or an offset."""
    for form in FORMATS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
