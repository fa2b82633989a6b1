"""The native context of one model call: which entries of a session it sees, their messages, and the atomic groups.

Messages are read newest first, and only as many as the call's hard limit could ever take; of older ones the size that
the index knows is enough. Before it: `engine.messages` reads the log; after it: `engine.plan`.
"""

from collections.abc import Mapping, Sequence

import msgspec

from backstory.dialogue import active, branch, groups
from backstory.engine import messages, naming
from backstory.engine.open import Engine
from backstory.records.browsing import SessionRow
from backstory.records.message import Message
from backstory.records.node import Node
from backstory.records.plan import Group, Item
from backstory.records.problem import Problem
from backstory.records.session import Facts, Kind
from backstory.store import browse, context, entries
from backstory.store.context import Place
from backstory.text.tokens import CHARS, Estimator

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
        return [*map(messages.estimate, self.places), *(item.tokens for item in self.items[len(self.places) :])]


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
    end = _end(engine, key, row, nodes, facts, at, leaf)
    path = [] if end is None else branch.path(nodes, end, shape=facts.shape, rules=facts.rules)
    seen = [] if end is None else active.seen(nodes, end, shape=facts.shape, rules=facts.rules, way=path)
    chosen = [nodes[position] for position in seen]
    by_seq = context.places(history, key, [node.seq for node in chosen])
    places = [by_seq[node.seq] for node in chosen]
    pinned = _labelled(engine, key, chosen)
    found, unread, told = messages.newest(row, places, pinned, hard + _SLACK)
    sent = [at for at, message in enumerate(found) if at in unread or (message is not None and message.blocks)]
    items = [_item(chosen[at], places[at], found[at], estimator) for at in sent]
    return Context(
        session=f"{row.source}:{row.session_id}",
        key=key,
        row=row,
        leaf=None if end is None else nodes[end],
        answered_by=at,
        items=items,
        messages=[found[at] for at in sent],
        groups=_groups([chosen[at] for at in sent], items),
        branch=[nodes[position].seq for position in path],
        branch_ids=frozenset(id_ for position in path if (id_ := nodes[position].entry_id)),
        turns=_turns(nodes, path),
        pinned=tuple(new for new, at in enumerate(sent) if at in pinned),
        problems=told,
        places=[places[at] for at in sent],
    )


def complete(given: Context, positions: Sequence[int], estimator: Estimator = CHARS) -> list[int]:
    """Read the messages at these positions that were not read yet; gives the positions read, sizes follow.

    A record that cannot be read any more becomes a message without content, which no plan should send.
    """
    missing = [at for at in positions if at < len(given.places) and given.messages[at] is None]
    if not missing:
        return []
    read, told = messages.read(given.row, given.places, missing)
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


def _end(
    engine: Engine, key: int, row: SessionRow, nodes: Sequence[Node], facts: Facts, at: str | None, leaf: str | None
) -> int | None:
    """Position of the entry that the call goes on from: before its answer `at`, else `leaf`, else the active leaf."""
    if not at and leaf is not None:
        return _position(nodes, naming.entry(engine, key, row, leaf))
    answer = naming.entry(engine, key, row, at) if at else None
    return _leaf_before(nodes, answer, facts.shape, facts.rules)


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


def _item(node: Node, place: Place, message: Message | None, estimator: Estimator) -> Item:
    tokens = messages.estimate(place) if message is None else estimator.message(message)
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
