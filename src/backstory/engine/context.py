"""The native context of one model call: which entries of a session it sees, their messages, and the atomic groups.

Messages are read newest first, and only as many as the call's hard limit could ever take; of older ones the size that
the index knows is enough. Before it: `engine.transcripts`, and `engine.transcript.messages`, which reads the log;
after it: `engine.planning`.
"""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from shlex import quote
from typing import TypeVar

import msgspec

from backstory.dialogue import groups
from backstory.dialogue.groups import EntryGroup
from backstory.engine import transcripts
from backstory.engine.open import Engine
from backstory.engine.transcript import messages, start
from backstory.engine.transcript.session import Transcript
from backstory.engine.transcript.view import View, sized
from backstory.records.browsing import SessionRow
from backstory.records.located import Located
from backstory.records.message import Message
from backstory.records.plan import Group, Item
from backstory.records.problem import Problem
from backstory.text.tokens import CHARS, Estimator

_SLACK = 4_000


class Context(msgspec.Struct):
    """What a call at `leaf` sees.

    `items`, `messages` and `groups` speak of the same positions; messages of entries too old to be sent are None, and
    `read` are the positions of the others, in order. `entries` are their numbers in the transcript and `stay` tells
    their places in the list that was shown; a request that stands in no log may follow them. `sizes` are the tokens of
    every item as the index knows them, whether its message was read or not.
    """

    transcript: Transcript
    leaf: Located | None
    answered_by: str | None
    items: list[Item]
    messages: list[Message | None]
    groups: list[Group]
    entries: list[int]
    stay: "Stay"
    sizes: list[int]
    read: list[int]
    pinned: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = ()

    def whole(self, at: int) -> bool:
        """Whether the message at a position is the one that was read."""
        return self.messages[at] is self.transcript.prepared.read[self.entries[at]].message

    def calling(self, tool: str) -> list[int]:
        """The positions of messages that were read and call a tool."""
        read, entries = self.transcript.prepared.read, self.entries
        if tool not in self.transcript.prepared.tools:
            return []
        return [at for at in self.read if at < len(entries) and tool in read[entries[at]].calls]

    def show(self, shown: Mapping[int, Message], estimator: Estimator) -> None:
        """Let other messages stand at these positions; the sizes of items and groups follow."""
        if not shown:
            return
        for at, message in shown.items():
            self.messages[at] = message
            self.items[at] = msgspec.structs.replace(self.items[at], tokens=estimator.message(message))
        self.groups = _resized(self.groups, self.items, shown)

    @property
    def session(self) -> str:
        """The session as people name it."""
        return self.transcript.name

    @property
    def key(self) -> int:
        """The key of the session in the history database, 0 when it is not there."""
        return self.transcript.key

    @property
    def row(self) -> SessionRow:
        """What is known of the session."""
        return self.transcript.row

    @property
    def branch(self) -> list[int]:
        """Sequence numbers of the whole branch, compacted parts included."""
        return self.transcript.reached.seqs

    @property
    def branch_ids(self) -> AbstractSet[str]:
        """Native ids of the whole branch."""
        return self.transcript.reached.ids


def load(
    engine: Engine,
    name: str,
    *,
    leaf: str | None = None,
    hard: int,
    estimator: Estimator = CHARS,
) -> Context:
    """The context of the next call of a session, or of one made at `leaf`.

    Raises:
        UnknownSessionError, AmbiguousSessionError, UnknownEntryError: nothing, or too much, is called that.
    """
    transcript = transcripts.named(engine, name)
    return seen(transcript, start.leaf(transcript, leaf), hard=hard, estimator=estimator)


def seen(
    transcript: Transcript,
    leaf: int | None,
    *,
    hard: int,
    answered_by: str | None = None,
    estimator: Estimator = CHARS,
) -> Context:
    """What a call at a leaf sees by the rules of its agent."""
    transcript.reach(leaf)
    return shown(transcript, transcript.reached.seen, hard=hard, answered_by=answered_by, estimator=estimator)


def shown(
    transcript: Transcript,
    keys: list[int],
    *,
    hard: int,
    answered_by: str | None = None,
    estimator: Estimator = CHARS,
) -> Context:
    """A context of these entries, or guests of the transcript, in this order, on the branch that was reached last."""
    view = transcript.view
    view.show(keys, transcript.entry)
    pinned = [at for at, key in enumerate(keys) if key in transcript.pinned] if transcript.pinned else []
    first = _oldest(view.sizes, hard + _SLACK)
    older = sorted({at for at in (*view.always, *pinned) if at < first})
    wanted = [*older, *range(first, len(keys))]
    numbers = [*(keys[at] for at in older), *keys[first:]]
    told = messages.read(transcript, numbers, estimator)
    transcript.forget(numbers)
    items, gone = list(view.items), list[int]()
    kept: list[Message | None] = [None] * len(keys)
    for at, read in zip(wanted, map(transcript.prepared.read.__getitem__, numbers), strict=True):
        message, item = read.message, read.item
        if message is None or item is None or not message.blocks:
            gone.append(at)
        else:
            kept[at], items[at] = message, item
    stay = Stay(len(keys), gone)
    made = Context(
        transcript=transcript,
        leaf=transcript.leaf,
        answered_by=answered_by,
        items=stay.of(items),
        messages=stay.of(kept),
        groups=[],
        entries=stay.of(keys),
        stay=stay,
        sizes=stay.of(view.sizes),
        read=stay.positions(wanted),
        pinned=tuple(stay.positions(pinned)),
        problems=told,
    )
    made.groups = _groups(made, view, stay, older, first)
    return made


_Thing = TypeVar("_Thing")


class Stay:
    """Which of the things shown stay when some are `gone`; those before the first that goes keep their place."""

    def __init__(self, count: int, gone: Sequence[int]) -> None:
        self.gone = frozenset(gone)
        self.first = gone[0] if gone else count
        self._later = [at for at in range(self.first, count) if at not in self.gone] if gone else []
        self._new = dict(zip(self._later, range(self.first, count), strict=False))

    def of(self, things: list[_Thing]) -> list[_Thing]:
        """Those of some things, one for each that was shown, that stay."""
        return [*things[: self.first], *map(things.__getitem__, self._later)]

    def origin(self, place: int) -> int:
        """Where the thing at a place was."""
        return place if place < self.first else self._later[place - self.first]

    def positions(self, places: Sequence[int]) -> list[int]:
        """Where things are now, by the ascending places where they were."""
        if not places or places[-1] < self.first:
            return list(places)
        ahead = bisect_left(places, self.first)
        return [*places[:ahead], *[new for new in map(self._new.get, places[ahead:]) if new is not None]]


def _groups(made: Context, view: View, stay: Stay, older: Sequence[int], first: int) -> list[Group]:
    """The groups of what is left once what has no message is gone; those of unread messages stay as they are."""
    items, transcript = made.items, made.transcript
    if not stay.gone.isdisjoint(view.opening):
        return [sized(group, items) for group in groups.groups(list(map(transcript.entry, made.entries)))]
    start = min(first, stay.first)
    read = frozenset(older)
    found: list[Group] = []
    for group in view.groups():
        if group.members[-1] < start and read.isdisjoint(group.members):
            found.append(group)
        elif members := tuple(stay.positions(group.members)):
            found.append(sized(EntryGroup(group.kind, members), items))
    return found


def complete(context: Context, positions: Sequence[int], estimator: Estimator = CHARS) -> list[int]:
    """Read the messages at these positions that were not read yet; gives the positions read, sizes follow.

    A record that cannot be read any more, or of which nothing can be sent, becomes an empty message: no plan sends it.
    """
    known = len(context.entries)
    missing = [at for at in positions if at < known and context.messages[at] is None]
    if not missing:
        return []
    transcript = context.transcript
    told = messages.read(transcript, [context.entries[at] for at in missing], estimator)
    for at in missing:
        message, item, *_ = transcript.prepared.read[context.entries[at]]
        if message is None or item is None or not message.blocks:
            message = Message(context.items[at].role, ())
            item = msgspec.structs.replace(context.items[at], tokens=0, empty=True)
        context.messages[at], context.items[at] = message, item
    context.read = sorted((*context.read, *missing))
    context.groups = _resized(context.groups, context.items, missing)
    context.problems = (*context.problems, *told)
    return missing


def unread(context: Context) -> list[str]:
    """What to tell of messages that the log does not give: that it is gone, or that it holds others now."""
    if not context.problems:
        return []
    if Path(context.transcript.path).exists():
        return ["messages that the log cannot give as they were indexed are not in the call"]
    stays = f"what was indexed of it stays searchable, and backstory show {quote(context.transcript.name)} shows it"
    return [f"the log of this session is gone, and its messages with it; {stays}"]


def _resized(groups_: Sequence[Group], items: Sequence[Item], changed: Collection[int]) -> list[Group]:
    """The groups with the sizes that their items have now; only those at `changed` positions have other ones."""
    first, new = min(changed, default=len(items)), frozenset(changed)
    return [
        group
        if group.members[-1] < first or new.isdisjoint(group.members)
        else Group(group.kind, group.members, sum([items[at].tokens for at in group.members]), group.id)
        for group in groups_
    ]


def _oldest(sizes: Sequence[int], room: int) -> int:
    """Place of the oldest item that may be needed when the newest use up so many tokens."""
    first = len(sizes)
    while first and room > 0:
        first -= 1
        room -= sizes[first]
    return first
