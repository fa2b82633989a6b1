"""Words a plan as edits of the host's own list: keep, drop, insert, replace, again. Pure.

The list keeps its order in every plan; an answer that would reorder it is refused here rather than guessed at.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from backstory.records.base import Record

Edit = dict[str, Any]


class Sent(Record, frozen=True):
    """One message of a plan: its position in the host's list or None, and the text or the fields it is sent with.

    `text` is that of a message to insert, `fields` are those of the host's message that change.
    """

    position: int | None
    text: str = ""
    fields: dict[str, Any] | None = None


def edits(count: int, sent: Sequence[Sent]) -> tuple[Edit, ...] | None:
    """The edits that turn `count` messages into what a plan sends; None when they change nothing.

    Raises:
        ValueError: the plan names a position twice, out of order, or one that does not exist.
    """
    found = list(_joined(_steps(count, sent)))
    return None if found in ([], [{"keep": count}]) else tuple(found)


def repeated(now: Sequence[Edit], before: Sequence[bytes]) -> tuple[tuple[Edit, ...], list[bytes]]:
    """The edits, those that the host has from `before` by number; and what inserts or replaces, for the next time."""
    held = {one: at for at, one in enumerate(before)}
    short: list[Edit] = []
    after: list[bytes] = []
    for edit in now:
        if "insert" not in edit and "replace" not in edit:
            short.append(edit)
            continue
        written = msgspec.json.encode(edit)
        after.append(written)
        short.append({"again": held[written]} if written in held else edit)
    return tuple(short), after


def _steps(count: int, sent: Sequence[Sent]) -> Iterator[Edit]:
    at = 0
    for one in sent:
        if one.position is None:
            yield {"insert": one.text}
            continue
        if not at <= one.position < count:
            raise ValueError(f"position {one.position} cannot follow {at} of {count}")
        if one.position > at:
            yield {"drop": one.position - at}
        yield {"keep": 1} if one.fields is None else {"replace": one.fields}
        at = one.position + 1
    if at < count:
        yield {"drop": count - at}


def _joined(steps: Iterator[Edit]) -> Iterator[Edit]:
    """The steps with runs of the same kind made one."""
    last: Edit | None = None
    for step in steps:
        (kind,) = step
        if last is not None and kind in {"keep", "drop"} and kind in last:
            last[kind] += 1
            continue
        if last is not None:
            yield last
        last = step
    if last is not None:
        yield last
