"""Plans every model call of the real sessions again, one after the other, and checks what must hold for each plan.

`--part 2/5` takes every fifth session, so that a long replay can be made in pieces.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from backstory.engine.open import Engine
from backstory.engine.planning.call import Terms
from backstory.engine.planning.plan import plan
from backstory.records.planning import Planned, PlannedMessage, PlanRequest
from bench import places, product
from bench.plan import timed
from bench.table import Row, ms

BUDGET = 32_000
SOURCES = ("claude-code", "gemini", "pi")
COMPARED = 40  # every so manieth call is planned again without anything remembered, and must come out the same


def figures(part: str) -> list[Row]:
    """Counts over all calls: modes, breaches of invariants, and CPU of one plan after the other."""
    number, _, of = part.partition("/")
    engine = filled()
    modes: Counter[str] = Counter()
    broken: list[str] = []
    times: list[float] = []
    sessions = compared = 0
    try:
        for session in _sessions(engine)[int(number) - 1 :: int(of)]:
            sessions += 1
            for call in _calls(engine, session):
                request = PlanRequest(session=session, at=call, budget=BUDGET, no_sync=True)
                made: list[Planned] = []
                times.append(timed(lambda request=request, made=made: made.append(_plan(engine, request))))  # type: ignore[misc]
                modes[made[0].manifest.planning.mode] += 1
                broken += (f"{session} at {call}: {why}" for why in breaches(made[0], BUDGET))
                if len(times) % COMPARED == 0:
                    compared += 1
                    engine.__dict__.pop("transcripts", None)
                    again = _plan(engine, request)
                    if again.messages != made[0].messages:
                        broken.append(f"{session} at {call}: another plan when nothing is remembered")
    finally:
        engine.close()
    times.sort()
    told = ", ".join(f"{count:,} {mode}" for mode, count in sorted(modes.items()))
    found = [
        Row(f"replay {part}, {len(times):,} calls of {sessions} sessions", told, goal="no breach", met=not broken),
        Row("replay, planned again without memory", f"{compared:,} the same", goal="all", met=not broken),
        Row("replay, one plan, p50 and p95", f"{ms(times[len(times) // 2])}, {ms(times[int(len(times) * 0.95)])}"),
    ]
    return [*found, *(Row("replay, breach", why) for why in broken[:20])]


def breaches(answer: Planned, budget: int) -> Iterator[str]:
    """What is wrong with a plan, None of which may ever be."""
    mode, messages = answer.manifest.planning.mode, answer.messages
    total = sum(message.tokens for message in messages)
    if mode != "native" and total > budget:
        yield f"{total} tokens are more than {budget}"
    if total != answer.manifest.estimated_input:
        yield "the manifest counts other tokens than the messages have"
    seqs = [message.seq for message in messages if message.seq is not None]
    if seqs != sorted(set(seqs)) and not any(message.kind == "summary" for message in messages):
        yield "messages are out of order or stand twice"
    if any(not message.content for message in messages):
        yield "a message is empty"
    if mode != "native":
        if not any(message.kind == "current" for message in messages):
            yield "the current request is not there"
        yield from _exchanges(messages)


def _exchanges(messages: Sequence[PlannedMessage]) -> Iterator[str]:
    open_: dict[str, bool] = {}
    for block in (block for message in messages for block in message.content):
        if block["type"] == "tool_call":
            if open_.get(block["id"]) is False:
                yield f"call {block['id']} has no result"
            open_[block["id"]] = False
        elif block["type"] == "tool_result":
            if block["id"] not in open_:
                yield f"result {block['id']} has no call"
            open_[block["id"]] = True
    yield from (f"call {id_} has no result" for id_, answered in open_.items() if not answered)


def filled() -> Engine:
    """An engine over the real sessions of all agents that there are, indexed once."""
    engine = product.engine(places.cache("replay"))
    real = places.real_sessions()
    pi = places.data() / "pi" / "v1-real"
    product.fill(engine, [*((name, real) for name in product.REAL), ("pi", pi)])
    return engine


def _plan(engine: Engine, request: PlanRequest) -> Planned:
    return plan(engine, request, Terms(ephemeral=True))


def _sessions(engine: Engine) -> list[str]:
    rows: list[tuple[Any, ...]] = engine.history.db.execute(
        "SELECT DISTINCT source || ':' || id FROM sessions WHERE origin = 'main' ORDER BY source, id"
    ).fetchall()
    return [str(name) for (name,) in rows]


def _calls(engine: Engine, session: str) -> list[str]:
    """The first entry of every answer of a model: what a call gave."""
    source, _, name = session.partition(":")
    rows = engine.history.db.execute(
        "SELECT e.seq, e.entry_id, e.role = 'assistant' FROM entries e JOIN sessions s ON s.key = e.session "
        "WHERE s.key = (SELECT key FROM sessions WHERE source = ? AND id = ? ORDER BY entries DESC LIMIT 1) "
        "AND e.visible AND NOT e.sidechain ORDER BY e.seq",
        (source, name),
    ).fetchall()
    found = []
    before = False
    for seq, entry_id, answer in rows:
        if answer and not before:
            found.append(str(entry_id or seq))
        before = bool(answer)
    return found
