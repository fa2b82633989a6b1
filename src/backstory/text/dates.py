"""Finds the days, months and years that a question names, so that what was said then can count for more.

Only what is written as a date: a month with a day or a year beside it or a word such as "in" before it, `2026-01-31`,
"in 2026". What depends on today ("yesterday") is not known here, since nothing that ranks asks a clock.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from backstory.records.base import Record
from backstory.text.wording import EPOCH

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MOST = 8
# What is longer was pasted.
LONGEST = 4_000
# Of a day named the rest of its month counts half: people speak of a day before and after it.
SAME_MONTH = 0.5
# Logs keep UTC and people do not.
NEAR_DAYS = 1
# "march" and "may" in small letters are words like others.
_WHOLE = "(?i:january|february|april|june|july|august|september|october|november|december)|March|May"
_SHORT = "(?i:jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec)|Mar"
_YEAR = r"(?:19|20)\d\d(?!\w)"
_NTH = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\w:])"
_DATE = (
    rf"(?:\b(?P<first>{_NTH})\s+(?:of\s+)?|\b(?P<within>(?i:during|early|in|last|late|mid|of|since))[\s-]+)?"
    rf"\b(?:(?P<whole>{_WHOLE})|(?P<short>{_SHORT})\.?)(?!\w)"
    rf"(?:\s+(?P<then>{_NTH}))?(?:,?\s*(?P<year>{_YEAR}))?"
)
# Alone: as a part of a name it names a file, not a time.
_NUMBERS = (
    r"(?<![^\s(\"'])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?"
    r"(?=[.,;:!?)\"']*(?:\s|$))"
)
_IN_YEAR = rf"\b(?i:during|in|of|since)\s+(?P<year>{_YEAR})(?!-)"
_HINTS = (*MONTHS, "19", "20")


class Date(Record, frozen=True):
    """A day, a month or a year; what was not named is 0."""

    year: int = 0
    month: int = 0
    day: int = 0


def taken(text: str) -> tuple[tuple[Date, ...], str]:
    """The dates that the first 4,000 characters of a text name, at most eight, and the text without their words.

    >>> taken("what did we drop on October 13, 2025, and why?")
    ((Date(year=2025, month=10, day=13),), 'what did we drop on and why?')
    """
    head = text[:LONGEST]
    lower = head.lower()
    if not any(hint in lower for hint in _HINTS):  # most texts name none, and patterns take a millisecond to compile
        return (), text
    found: list[Date] = []
    for pattern, read in ((_NUMBERS, _numbers), (_DATE, _date), (_IN_YEAR, _numbers)):
        for match in re.finditer(pattern, head):
            if (date := read(match)) and len(found) < MOST:
                found.append(date)
                head = head[: match.start()] + " " * len(match[0]) + head[match.end() :]
    rest = " ".join(word for word in (head + text[LONGEST:]).split() if any(map(str.isalnum, word)))
    return tuple(dict.fromkeys(found)), rest if found else text


def _numbers(match: re.Match[str]) -> Date:
    return Date(**{name: int(value) for name, value in match.groupdict().items() if value})


def _date(match: re.Match[str]) -> Date | None:
    first, within, whole, short, then, year = match.group("first", "within", "whole", "short", "then", "year")
    if not (first or then or year or (within and whole)):
        return None
    day = int("".join(filter(str.isdigit, first or then or "0")))
    return Date(int(year or 0), MONTHS.index((whole or short)[:3].lower()) + 1, day)


def share(dates: Sequence[Date], time: int | None) -> float:
    """How well a moment (Unix milliseconds) lies in one of some dates: 1.0 inside, 0.0 outside."""
    if time is None or not dates:
        return 0.0
    try:
        then = EPOCH + timedelta(milliseconds=time)
    except OverflowError:  # no calendar reaches there
        return 0.0
    return max(_within(date, then) for date in dates)


def _within(date: Date, then: datetime) -> float:
    if date.year not in (0, then.year) or date.month not in (0, then.month):
        return 0.0
    return 1.0 if not date.day or abs(date.day - then.day) <= NEAR_DAYS else SAME_MONTH
