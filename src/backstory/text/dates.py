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
_NTH = r"(?:[12]?\d|3[01])(?:st|nd|rd|th)?(?![\w:])"
_DATE = (
    rf"(?:\b(?P<first>{_NTH})\s+(?:of\s+)?|\b(?P<within>(?i:during|early|in|last|late|mid|of|since))[\s-]+)?"
    rf"\b(?:(?P<whole>{_WHOLE})|(?P<short>{_SHORT})\.?)(?!\w)"
    rf"(?:\s+(?P<then>{_NTH}))?(?:,?\s*(?P<year>{_YEAR}))?"
)
_NUMBERS = r"(?<![\w-])((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?(?![\d-])"
_IN_YEAR = rf"\b(?i:during|in|of|since)\s+({_YEAR})(?!-)"
_HINTS = (*MONTHS, "19", "20")


class Date(Record, frozen=True):
    """A day, a month or a year; what was not named is 0."""

    year: int = 0
    month: int = 0
    day: int = 0


def named(text: str) -> tuple[Date, ...]:
    """The dates that the first 4,000 characters of a text name, at most eight.

    >>> named("what did we drop on October 13, 2025, and why in May?")
    (Date(year=2025, month=10, day=13), Date(year=0, month=5, day=0))
    """
    text = text[:LONGEST]
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):  # most texts name none, and patterns take a millisecond to compile
        return ()
    found = [Date(int(year), int(month), int(day or 0)) for year, month, day in re.findall(_NUMBERS, text)]
    for match in re.finditer(_DATE, text):
        first, within, whole, short, then, year = match.group("first", "within", "whole", "short", "then", "year")
        if first or then or year or (within and whole):
            day = int("".join(filter(str.isdigit, first or then or "0")))
            found.append(Date(int(year or 0), MONTHS.index((whole or short)[:3].lower()) + 1, day))
    found += [Date(int(year)) for year in re.findall(_IN_YEAR, text)]
    return tuple(dict.fromkeys(found[:MOST]))


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
