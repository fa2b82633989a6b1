"""Where sessions and events come from and what became of them, over forks, subagents, branches and compactions."""

from backstory.dialogue import lineage
from backstory.dialogue import surface as surfaces
from backstory.dialogue.lineage import Descendant
from backstory.engine import summaries
from backstory.engine.query.read import record, whole_number
from backstory.engine.query.view import QueryView
from backstory.errors import UnknownEntryError
from backstory.records.query import Branch, EventTrace, SessionRecord, SessionTrace
from backstory.records.summary import SummaryDetails
from backstory.store import browse, context
from backstory.store import query as store
from backstory.store.query import KeyedSession


def event(view: QueryView, name: str, seq: int) -> EventTrace:
    """What replaced an event and what it replaced, and what it was made from and what was made from it.

    Raises:
        UnknownEntryError: there is no such event.
    """
    found = view.session(name)
    if not whole_number(seq):
        raise UnknownEntryError(found.session.id, str(seq))
    target = store.around(view.history, found.key, seq, before=0, after=0)
    if not target:
        raise UnknownEntryError(found.session.id, str(seq))
    shape, rules = store.shape(view.history, found.key)
    nodes = store.nodes(view.history, found.key)
    told = _details(view, found)
    made_from = store.sources(view.history, found.key) | summaries.sources(nodes, told)
    stands = surfaces.stand_ins(nodes)
    taken = surfaces.replaced(nodes, shape=shape, rules=rules).items()
    origin = lineage.origin(seq, {nodes[at].seq: nodes[stands.get(by, by)].seq for at, by in taken}, made_from)
    seen = {node.seq for node in nodes if node.visible}
    return EventTrace(
        session=found.session, target=record(target[0]), replaced_by=origin.replaced_by,
        chain=origin.chain if seen.issuperset(origin.chain[-1:]) else (),
        replaced=origin.replaced or tuple(nodes[at].seq for at, by in taken if nodes[by].seq == seq),
        sources=origin.sources, derived=origin.derived, details=told.get(seq),
    )  # fmt: skip


def _details(view: QueryView, found: KeyedSession) -> dict[int, SummaryDetails]:
    """What the log of a stored session tells of its summaries."""
    if not found.session.stored or found.session.missing:
        return {}
    row = browse.by_keys(view.history, [found.key]).get(found.key)
    return summaries.details(row.source, row.path, context.entries(view.history, found.key)) if row is not None else {}


def session(view: QueryView, name: str) -> SessionTrace:
    """The family of a session.

    Raises:
        InvalidLineageError: it is its own ancestor, or a cycle is above it.
    """
    found = view.session(name)
    source = found.session.source
    keys: dict[str, int] = {}
    family: list[tuple[str, str | None]] = []
    for key, of, id_, parent in store.families(view.history):
        if of == source and id_ not in keys:
            keys[id_] = key
            family.append((id_, parent))
    traced = lineage.trace(found.session.id, family)
    wanted = [*traced.ancestors, *(one.id for one in traced.descendants)]
    records = store.by_keys(view.history, [keys[id_] for id_ in wanted])
    kin = {id_: records[keys[id_]].session for id_ in wanted}
    root = None if traced.root is None else kin.get(traced.root, found.session)
    return SessionTrace(
        target=found.session, ancestors=tuple(kin[id_] for id_ in traced.ancestors),
        descendants=_tree(traced.descendants, kin), complete=traced.complete, root=root, missing_parent=traced.missing,
    )  # fmt: skip


def _tree(family: tuple[Descendant, ...], kin: dict[str, SessionRecord]) -> tuple[Branch, ...]:
    """Descendants, given top-down, as a tree; built from the bottom, so that depth has no limit."""
    below: dict[str, list[Branch]] = {}
    for one in reversed(family):
        children = tuple(reversed(below.pop(one.id, [])))
        below.setdefault(one.parent, []).append(Branch(kin[one.id], children))
    top = family[0].parent if family else ""
    return tuple(reversed(below.get(top, [])))
