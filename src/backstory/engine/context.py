"""The native context of one model call: which entries of a session it sees, their messages, and the atomic groups.

Messages are read from the log itself, byte range by byte range, newest first, and only as many as the call's hard limit
could ever take; of older ones the size that the index knows is enough. A record whose bytes are no longer those that
were indexed is left out and told. After it: `engine.plan`.
"""

from collections.abc import Mapping, Sequence

import msgspec

from backstory.dialogue import active, branch, groups
from backstory.engine import naming
from backstory.engine.open import Engine
from backstory.errors import UnreadableSourceError
from backstory.records.browsing import SessionRow
from backstory.records.message import Message, Thinking, ToolCall, ToolResult
from backstory.records.node import Node
from backstory.records.plan import Group, Item
from backstory.records.problem import Problem
from backstory.records.session import Kind
from backstory.sources import raw, registry
from backstory.store import browse, context, entries
from backstory.store.context import Place
from backstory.text.tokens import BLOCK_TOKENS, CHARS, MESSAGE_TOKENS, UNITS_PER_TOKEN, Estimator

_SLACK = 4_000


class Context(msgspec.Struct):
    """What a call at `leaf` sees.

    `items`, `messages` and `groups` speak of the same positions; messages of entries too old to be sent are None.
    `branch` holds the sequence numbers of the whole branch, compacted parts included.
    """

    session: str
    key: int
    row: SessionRow
    leaf: Node | None
    answered_by: str | None
    items: list[Item]
    messages: list[Message | None]
    groups: list[Group]
    branch: list[int]
    branch_ids: frozenset[str]
    turns: dict[int, int]
    pinned: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = ()
    places: list[Place] = msgspec.field(default_factory=list)

    @property
    def sizes(self) -> list[int]:
        """Tokens of every item as the index knows them, whether its message was read or not."""
        return [*map(_estimate, self.places), *(item.tokens for item in self.items[len(self.places) :])]


def load(
    engine: Engine,
    name: str,
    *,
    at: str | None = None,
    leaf: str | None = None,
    hard: int,
    estimator: Estimator = CHARS,
) -> Context:
    """The context of the next call of a session, of the call that the entry `at` answered, or of one made at `leaf`.

    Raises:
        UnknownSessionError, AmbiguousSessionError, UnknownEntryError: nothing, or too much, is called that.
    """
    history = engine.history
    key, row = naming.session(engine, name)
    facts = browse.facts(history, key)
    nodes = [node for node, _ in entries.nodes(history, key)]
    answer = naming.entry(engine, key, row, at) if at else None
    if leaf is not None and answer is None:
        end: int | None = _position(nodes, naming.entry(engine, key, row, leaf))
    else:
        end = _leaf_before(nodes, answer, facts.shape, facts.rules)
    path = [] if end is None else branch.path(nodes, end, shape=facts.shape, rules=facts.rules)
    seen = [] if end is None else active.seen(nodes, end, shape=facts.shape, rules=facts.rules, way=path)
    chosen = [nodes[position] for position in seen]
    places = context.places(history, key, [node.seq for node in chosen])
    in_order = [places[node.seq] for node in chosen]
    messages, unread, told = _messages(row, in_order, _labelled(engine, key, chosen), hard + _SLACK)
    sent = [at for at, message in enumerate(messages) if at in unread or (message is not None and message.blocks)]
    chosen, messages = [chosen[at] for at in sent], [messages[at] for at in sent]
    labelled = _labelled(engine, key, chosen)
    items = [_item(node, places[node.seq], message, estimator) for node, message in zip(chosen, messages, strict=True)]
    return Context(
        session=f"{row.source}:{row.session_id}",
        key=key,
        row=row,
        leaf=None if end is None else nodes[end],
        answered_by=at,
        items=items,
        messages=messages,
        groups=_groups(chosen, items),
        branch=[nodes[position].seq for position in path],
        branch_ids=frozenset(id_ for position in path if (id_ := nodes[position].entry_id)),
        turns=_turns(nodes, path),
        pinned=labelled,
        problems=told,
        places=[in_order[at] for at in sent],
    )


def complete(given: Context, positions: Sequence[int], estimator: Estimator = CHARS) -> list[int]:
    """Read the messages at these positions that were not read yet; gives the positions read, sizes follow.

    A record that cannot be read any more becomes a message without content, which no plan should send.
    """
    missing = [at for at in positions if at < len(given.places) and given.messages[at] is None]
    if not missing:
        return []
    read, told = _read(given.row, given.places, missing)
    for at in missing:
        message = read.get(at) or Message(given.items[at].role, ())
        given.messages[at] = message
        given.items[at] = msgspec.structs.replace(given.items[at], tokens=estimator.message(message))
    given.groups = resized(given.groups, given.items)
    given.problems = (*given.problems, *told)
    return missing


def resized(groups_: Sequence[Group], items: Sequence[Item]) -> list[Group]:
    """The groups with the sizes that their items have now."""
    return [msgspec.structs.replace(group, tokens=sum(items[at].tokens for at in group.members)) for group in groups_]


def _leaf_before(nodes: Sequence[Node], answer: int | None, shape: str, rules: str) -> int | None:
    """Position of the entry that the call goes on from."""
    if answer is None:
        return branch.active_leaf(nodes, shape=shape, rules=rules)
    position = _position(nodes, answer)
    way = branch.path(nodes, position, shape=shape, rules=rules)
    earlier = [at for at in way if at < position]
    while earlier and not nodes[earlier[-1]].visible:
        earlier.pop()
    return earlier[-1] if earlier else None


def _position(nodes: Sequence[Node], seq: int) -> int:
    return next(at for at, node in enumerate(nodes) if node.seq == seq)


def _messages(
    row: SessionRow, places: Sequence[Place], pinned: Sequence[int], room: int
) -> tuple[list[Message | None], frozenset[int], tuple[Problem, ...]]:
    """Messages of the newest entries up to `room` tokens, of summaries and of pinned entries.

    Also the positions that were not read, and what could not be.
    """
    wanted: list[int] = []
    for position in range(len(places) - 1, -1, -1):
        place = places[position]
        if room > 0 or place.kind == Kind.SUMMARY or place.role == "system" or position in pinned:
            wanted.append(position)
        room -= _estimate(places[position])
    read, told = _read(row, places, wanted)
    return [read.get(at) for at in range(len(places))], frozenset(range(len(places))).difference(wanted), told


def _read(
    row: SessionRow, places: Sequence[Place], wanted: Sequence[int]
) -> tuple[dict[int, Message], tuple[Problem, ...]]:
    """The messages at some positions as far as the log still has them."""
    source = registry.load(row.source)
    found: dict[int, Message] = {}
    told: list[Problem] = []
    try:
        raws = raw.read(row.path, {at: (places[at].offset, places[at].length) for at in wanted})
    except UnreadableSourceError as error:
        return found, (Problem(error.path, error.reason),)
    for position, record in sorted(raws.items()):
        try:
            message = _sendable(source.message(raw.bare(record)))
        except msgspec.DecodeError:
            told.append(Problem(row.path, f"the record of entry {places[position].seq} cannot be read any more"))
        else:
            if message is not None:
                found[position] = message
    return found, tuple(told)


def _sendable(message: Message | None) -> Message | None:
    """A message as another call may carry it.

    Reasoning goes back only to the model that wrote it, in a form no log keeps; a call or result without an id (of a
    search that the provider itself ran, for one) cannot be matched to its other half.
    """
    if message is None:
        return None
    kept = tuple(
        block
        for block in message.blocks
        if not isinstance(block, Thinking) and not (isinstance(block, ToolCall | ToolResult) and not block.id)
    )
    return message if len(kept) == len(message.blocks) else msgspec.structs.replace(message, blocks=kept)


def _item(node: Node, place: Place, message: Message | None, estimator: Estimator) -> Item:
    tokens = _estimate(place) if message is None else estimator.message(message)
    role = message.role if message is not None else place.role or "user"
    return Item(
        tokens=tokens,
        role=role,
        entry_id=node.entry_id,
        seq=node.seq,
        kind=str(node.kind),
        calls=node.calls,
        answers=node.answers,
        hash=place.hash.hex(),
    )


def _estimate(place: Place) -> int:
    """Tokens of a message by the characters that the index counted."""
    return MESSAGE_TOKENS + BLOCK_TOKENS + 2 + -(-place.chars // UNITS_PER_TOKEN)


def _groups(nodes: Sequence[Node], items: Sequence[Item]) -> list[Group]:
    return [
        Group(group.kind, group.members, sum(items[at].tokens for at in group.members), group.id)
        for group in groups.groups(nodes)
    ]


def _turns(nodes: Sequence[Node], path: Sequence[int]) -> dict[int, int]:
    """The number of the user turn, from 1, of every entry of the branch, by sequence number."""
    turn = 0
    found: dict[int, int] = {}
    for position in path:
        turn += nodes[position].kind == Kind.PROMPT and nodes[position].visible
        found[nodes[position].seq] = turn
    return found


def _labelled(engine: Engine, key: int, chosen: Sequence[Node]) -> tuple[int, ...]:
    """Positions of entries whose newest label pins them."""
    latest: Mapping[str, str] = {
        target: text.removeprefix(target).strip()
        for _, target, text in context.labels(engine.history, key)
        if target is not None
    }
    return tuple(at for at, node in enumerate(chosen) if latest.get(node.entry_id or "", "").startswith("ds4:pin"))
