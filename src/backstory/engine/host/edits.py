"""Words a plan as edits of the host's own list: keep, drop, insert, replace. Pure.

The list keeps its order in every plan; an answer that would reorder it is refused here rather than guessed at.
"""

from collections.abc import Iterator, Sequence
from typing import Any

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
