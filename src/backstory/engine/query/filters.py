"""Checks filters that come from outside and turns arrays of them into one condition."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from backstory.errors import InvalidFilterError
from backstory.records.filters import EntryFilter, Range, SessionFilter
from backstory.records.session import KINDS, ORIGINS, ROLES, SURFACES
from backstory.store.where import Clause, all_of, entries_where, sessions_where

AVAILABILITY = ("live", "present", "missing")
MOST_FILTERS = 200
MOST_VALUES = 32_000
RANGES = ("created", "seq", "time")


def sessions(filters: Sequence[SessionFilter]) -> Clause:
    """Conditions on rows of `sessions s`.

    Raises:
        InvalidFilterError: an unknown word, an impossible range, or too many values.
    """
    check_sessions(filters)
    return all_of([sessions_where(one, f"s{at}_").clause() for at, one in enumerate(filters)])


def entries(
    events: Sequence[EntryFilter], kin: Sequence[SessionFilter] = (), *, session: int | None = None, scan: bool = False
) -> Clause:
    """Conditions on rows of `entries e`; `scan` says that text clauses are looked after by the caller.

    Raises:
        InvalidFilterError: as above, or a text clause where nothing is scanned.
    """
    check_sessions(kin)
    check_entries(events, scan=scan)
    pairs = [(one, None) for one in events] + [(EntryFilter(), one) for one in kin]
    clauses = [entries_where(event, one, f"c{at}_") for at, (event, one) in enumerate(pairs)]
    if session is not None:
        clauses.append(entries_where(EntryFilter(session=session), prefix="one_"))
    return all_of(clauses)


def check_sessions(filters: Sequence[SessionFilter]) -> None:
    """Raises InvalidFilterError unless every filter makes sense."""
    _sized(filters)
    for one in filters:
        _range("created", one.created)
        _typed(one)
        _known("origin", one.origins, ORIGINS)
        _known("availability", one.availability, AVAILABILITY)


def check_entries(filters: Sequence[EntryFilter], *, scan: bool) -> None:
    """Raises InvalidFilterError unless every filter makes sense."""
    _sized(filters)
    for one in filters:
        _range("seq", one.seq)
        _range("time", one.time)
        _typed(one)
        _known("kind", one.kinds, KINDS)
        _known("role", one.roles, ROLES)
        _known("surface", one.surfaces, SURFACES)
        if one.session is not None:
            raise InvalidFilterError("a session is named in the request, not in a filter")
        if one.text is not None and not scan:
            raise InvalidFilterError("a text clause scans one session's events; a search takes its text as the query")
        if one.text is not None and not one.text.strip():
            raise InvalidFilterError("a text clause must not be blank")


def patterns(filters: Iterable[EntryFilter]) -> list[re.Pattern[str]]:
    """The text clauses: literal, letters in either case, runs of blanks alike."""
    texts = [one.text.split() for one in filters if one.text is not None]
    return [re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE) for words in texts]


def canonical(filters: Sequence[SessionFilter] | Sequence[EntryFilter]) -> list[str]:
    """The same text for filters that mean the same: without regard to the order of filters and of their values.

    Raises:
        InvalidFilterError: a value holds half of a surrogate pair.
    """
    try:
        return sorted(msgspec.json.encode(_sorted(one)).decode() for one in filters)
    except UnicodeEncodeError as error:
        raise InvalidFilterError("a filter must not hold half of a surrogate pair") from error


def _sorted(given: SessionFilter | EntryFilter) -> dict[str, object]:
    values = msgspec.structs.asdict(given)
    return {
        name: sorted(set(value), key=lambda one: (one is not None, one or ""))
        if isinstance(value, tuple) and name not in RANGES
        else value
        for name, value in values.items()
    }


def _range(name: str, bounds: Range | None) -> None:
    if bounds is None:
        return
    low, high = bounds
    for end in bounds:
        if end is not None and (not isinstance(end, int) or isinstance(end, bool)):
            raise InvalidFilterError(f"{name}: {end!r} is not a whole number")
        if end is not None and abs(end) >= 1 << 63:
            raise InvalidFilterError(f"{name}: no number may have more than 63 bits, as {end} has")
    if low is not None and high is not None and low > high:
        raise InvalidFilterError(f"{name}: {low} lies after {high}")


def _known(name: str, values: Sequence[str] | None, words: Sequence[str]) -> None:
    for value in values or ():
        if value not in words:
            raise InvalidFilterError(f"{name}: {value!r} is not one of {', '.join(map(str, words))}")


def _typed(given: SessionFilter | EntryFilter) -> None:
    """Raises InvalidFilterError unless every field holds what its type promises."""
    try:
        msgspec.convert(msgspec.to_builtins(given), type(given), strict=True)
    except (msgspec.ValidationError, TypeError) as error:
        raise InvalidFilterError(f"a filter is of another shape: {error}") from error


def _sized(filters: Sequence[SessionFilter] | Sequence[EntryFilter]) -> None:
    if len(filters) > MOST_FILTERS:
        raise InvalidFilterError(f"more than {MOST_FILTERS} filters; values of one field are alternatives")
    lists = [value for one in filters for value in msgspec.structs.astuple(one) if isinstance(value, tuple)]
    if sum(map(len, lists)) > MOST_VALUES:
        raise InvalidFilterError(f"filters hold more than {MOST_VALUES} values")
