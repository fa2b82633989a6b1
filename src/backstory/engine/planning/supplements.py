"""Gathers the supplements of a call: pins and memories, what the session said earlier, source of the project.

A part that fails costs what it would have added and a warning, nothing else. Reading is done by `evidence`, choosing
and quoting by `plan`; what the destination may not see is left out here.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import msgspec

from backstory.engine.loading import load
from backstory.engine.memory import state as memory_state
from backstory.engine.planning import evidence, recall
from backstory.engine.planning.call import Call, Ranges
from backstory.errors import BackstoryError, CancelledError
from backstory.plan import mandatory
from backstory.plan.evidence import extracts
from backstory.plan.memory import select as memory_select
from backstory.plan.memory.select import MemoryMatch
from backstory.privacy import classify
from backstory.records.memory import Kept
from backstory.records.plan import Excluded, Plan
from backstory.retrieve.task import describe
from backstory.text.calls import ORPHAN, UNANSWERED

_MOST_LINES = 4_000  # of excerpts are remembered; a call has some hundreds


def kept(call: Call) -> None:
    """Pins, and the memories that fit the request."""
    _local(call, "memory", _kept)
    call.gathered.supplements = call.gate.supplements(call.gathered.supplements)


def earlier(call: Call, first: Plan) -> None:
    """What the messages committed by a first plan do not show: card, excerpts and quotations of matching messages."""
    edge = _edge(call, first)
    entries, branch = call.context.transcript.entries, call.context.transcript.reached.positions
    if not branch or entries[branch[0]].seq >= edge:
        return
    if call.limits.card or call.limits.excerpts:
        _local(call, "working set", lambda call: _shown_before(call, edge))
    if call.config.retrieval.enabled:
        _local(call, "history", lambda call: _matching(call, first, edge))


def source(call: Call) -> None:
    """Ranges of the project that the request names."""
    if call.request.project is not None and call.config.project.enabled:
        _local(call, "project", _source)


def _local(call: Call, part: str, work: Callable[[Call], None]) -> None:
    try:
        work(call)
    except CancelledError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever breaks in one part must cost only that part
        # What an unforeseen error says may hold words of the session, and a manifest holds none.
        told = str(error) if isinstance(error, BackstoryError) else type(error).__name__
        call.gathered.warnings.append(f"{part}: {told}")


def _kept(call: Call) -> None:
    who = memory_state.viewer(call.engine, call.context, call.config.memory, trusted=call.terms.trusted)
    gathered, options = call.gathered, call.config.memory
    gathered.kept = [_raised(pin) for pin in memory_state.pins(call.engine, who, call.context)]
    gathered.supplements += (memory_select.pin_message(pin, call.cost) for pin in gathered.kept)
    if options.enabled:
        matches = memory_state.memories(call.engine, who, describe(call.asked).terms)
        room = call.limits.memory
        raised = _noted(call, matches)
        gathered.supplements += memory_select.memories(raised, most=options.results, room=room, cost=call.cost)
    gathered.warnings += memory_state.warnings(call.engine, who)


def _noted(call: Call, matches: Iterable[MemoryMatch]) -> Iterator[MemoryMatch]:
    """Matches at the level of what is in them, each noted once it is looked at."""
    for match in matches:
        item = _raised(match.item)
        call.gathered.kept.append(item)
        yield msgspec.structs.replace(match, item=item)


def _raised(item: Kept) -> Kept:
    """What is kept, at the highest level that it was given or is marked with: a quotation of it hides the marks."""
    level = item.level
    for text in (item.text, item.key, item.source_file):
        level = classify.level(text or "", level)
    return item if level == item.level else msgspec.structs.replace(item, level=level)


def _shown_before(call: Call, edge: int) -> None:
    """Card and excerpts; they stay the same while neither the request nor the edge moves."""
    context, engine = call.context, call.engine
    known = evidence.remembered(engine, context, _until_asked(call, edge), call.gate)
    call.gathered.working = known.working
    asked, before = call.requests(call.gathered.tail.anchor)
    rooms = call.limits.card, call.limits.excerpts
    key = (len(known.positions), edge, asked, before, *rooms, call.estimator.version)
    if known.shown is None or known.shown[0] != key:
        wanted = extracts.ExtractsTask(asked, before, known.working.visible_from(edge), *rooms, call.estimator.version)
        if len(known.drafts.lines) > _MOST_LINES:
            known.drafts.lines.clear()
        read = partial(evidence.texts, context)
        made = extracts.extracts(known.working, wanted, read, call.cost, known.drafts)
        known.shown = key, made
    options = call.config.context
    enabled = {"card": options.card, "excerpt": options.excerpts}
    call.gathered.supplements += (one for one in known.shown[1] if enabled.get(one.kind, True))


def _matching(call: Call, first: Plan, edge: int) -> None:
    """Messages that share names, phrases or words with the request."""
    context = call.context
    committed = {seq for at in first.positions if (seq := context.items[at].seq) is not None}
    spoken, entries = _until_asked(call, edge), context.transcript.entries
    task = recall.QuotationTask(
        asked=call.asked,
        committed=committed.union(context.branch[bisect_left(context.branch, edge) :]),
        most=call.config.retrieval.results,
        room=call.limits.history,
        until=entries[spoken[-1]].seq + 1 if spoken else edge,
    )
    found = recall.recalled(call.engine, context, task, cost=call.cost, quotable=call.gate.quotable)
    call.gathered.recalled = found
    call.gate.unquoted(found.refused)
    call.gathered.supplements += found.supplements


def _source(call: Call) -> None:
    root = call.request.project or ""
    asked, room = call.asked, call.limits.project
    ranges: Callable[..., Ranges] = load("engine.planning.source:ranges")
    # A host says itself what changed.
    fresh = call.terms.trusted is None and not call.request.no_sync
    found = ranges(call.engine, root, asked, room, trusted=bool(call.terms.trusted), fresh=fresh)
    call.gathered.ranges = found
    call.gathered.supplements += found.supplements
    call.gathered.warnings += found.warnings


def _edge(call: Call, first: Plan) -> int:
    """The sequence number from which on everything is in the call that can be."""
    context = call.context
    sent = [at for at in first.positions if at < len(context.entries) and context.entries[at] >= 0]
    out = max((item.positions[-1] for item in first.excluded if item.positions and _missed(item)), default=-1)
    branch, entries = context.transcript.reached.positions, context.transcript.entries
    seqs = (entries[context.entries[at]].seq for at in sent if at > out)
    return min(seqs, default=entries[branch[-1]].seq + 1 if branch else 0)


def _missed(item: Excluded) -> bool:
    """Whether something stays out for want of room, not because no provider would take it."""
    return item.kind == "history" and item.reason not in {UNANSWERED, ORPHAN}


def _until_asked(call: Call, edge: int) -> list[int]:
    """Entries up to the request: the rest of its turn is in the call anyway, and so the card stays the same.

    Where part of that turn is missing, entries up to the edge.
    """
    context = call.context
    anchor = call.gathered.tail.anchor
    at = anchor if anchor is not None else mandatory.request_at(context.items)
    spoken, entries = context.transcript.reached.spoken, context.transcript.entries
    if at is None or at >= len(context.entries) or context.entries[at] < 0:
        return spoken
    last = context.entries[at]
    if entries[last].seq < edge:
        return spoken[: bisect_left(spoken, edge, key=lambda position: entries[position].seq)]
    return spoken[: bisect_right(spoken, last)]
