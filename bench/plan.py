"""Figures of planning: the pure planner, privacy, memory, large results, whole plans, and what plans keep.

Each stands beside a floor measured in the same run: the least loop over the same data that any solution must make.
Times are CPU seconds.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import product as product_of

from backstory.engine import context
from backstory.engine.memory import state as memory_state
from backstory.engine.open import Engine, open_engine
from backstory.engine.planning.gate import Gate
from backstory.engine.planning.plan import plan
from backstory.engine.planning.retention import retention
from backstory.engine.transcript.session import Transcript
from backstory.plan import planner
from backstory.plan.budget import allocate
from backstory.plan.condense import Reference, artifact_id, condense
from backstory.plan.memory import select as memory_select
from backstory.plan.profile import resolve
from backstory.privacy.secrets import suspect
from backstory.records.browsing import SessionRow
from backstory.records.budget import Limits, Model
from backstory.records.memory import Kept
from backstory.records.message import Message, Text
from backstory.records.plan import Group, Item, PlanInput
from backstory.records.planning import Planned, PlannedMessage, PlanRequest
from backstory.records.privacy import Policy
from backstory.records.retention import RetentionRequest
from backstory.store import memory as stored_memory
from backstory.store.memory import Viewer
from backstory.text.tokens import count
from bench import places, product
from bench.table import Row, ms

ROUNDS = 15
SESSION = SessionRow(
    source="pi", session_id="s", title=None, cwd=None, created=None, updated=None, entries=0, malformed=0,
    origin="main", parent=None, model=None, missing=False, path="",
)  # fmt: skip


def pure() -> list[Row]:
    """The planner over 2,000 turns of a question, two calls with results and an answer."""
    items: list[Item] = []
    groups: list[Group] = []
    for turn in range(2_000):
        start = len(items)
        items.append(Item(40, "user", f"u{turn}", start, "prompt"))
        for call in (f"{turn}a", f"{turn}b"):
            items.append(Item(60, "assistant", call, len(items), "message", (call,)))
            items.append(Item(200, "tool", f"r{call}", len(items), "tool-result", (), (call,)))
        items.append(Item(80, "assistant", f"a{turn}", len(items)))
        members = tuple(range(start, len(items)))
        groups.append(Group("turn", members, sum(items[at].tokens for at in members), f"group:{start}-{members[-1]}"))
    budget = allocate(resolve(Model("p", "m", 200_000, 64_000)), Limits())
    given = PlanInput(tuple(items), tuple(groups), budget, fixed=9_000)
    ours, floor = beside(lambda: planner.plan(given), lambda: [(group.id, group.tokens) for group in given.groups])
    return [row("planner, 2,000 groups (12,000 messages)", ours, floor, "one pass over the groups", 0.003)]


def privacy() -> list[Row]:
    """1,000 messages of real text on their way through the gate of a call and out of it, cold and unchanged."""
    texts = real_texts(1_000)
    session = Transcript(SESSION, 0, lambda _: [])
    keys = list(dict.fromkeys(session.guests.number(Message("user", (Text(text),)), "message") for text in texts))
    sent = [PlannedMessage("user", "recent", None, None, "", 0, [{"type": "text", "text": text}]) for text in texts]
    policy = Policy(enabled=True)

    def passed() -> float:
        given = context.shown(session, keys, hard=1_000_000_000)
        gate = Gate(policy, "remote", session)
        return timed(lambda: gate.context(given)) + timed(lambda: gate.outgoing(sent))

    def cold() -> float:
        session.prepared.checked = None
        return passed()

    pairs = [(cold(), timed(lambda: [suspect(text) for text in texts])) for _ in range(ROUNDS)]
    first, floor = map(statistics.median, zip(*pairs, strict=True))
    again = statistics.median([passed() for _ in range(ROUNDS)])
    return [
        Row(
            "privacy, 1,000 messages, cold",
            ms(first),
            f"literal gate {ms(floor)}",
            first / floor,
            "2x",
            first <= 2 * floor,
        ),
        Row("privacy, 1,000 messages, unchanged", ms(again), goal="3 ms", met=again < 0.003),
    ]


def memory() -> list[Row]:
    """Selecting from 10,000 stored memories for a request of 24 terms."""
    words = [f"word{number:04}" for number in range(4_000)]
    pick = random.Random(7)
    kept = [
        Kept("memory", f"{number:05}", "project", " ".join(pick.choices(words, k=12)), number, "s", "e", project="/p")
        for number in range(10_000)
    ]
    engine = open_engine(places.cache("memory"), env={}, memory=True)
    stored_memory.replace(engine.history, [], ((item, 0) for item in kept))
    terms = words[:24]
    claims = [item.text for item in kept]

    def choose() -> object:
        found = memory_state.memories(engine, Viewer("s", "/p"), terms)
        return memory_select.memories(found, most=12, room=8_000, cost=count)

    with engine.history.read():
        ours, floor = beside(choose, lambda: [claim for claim in claims if terms[0] in claim])
    engine.close()
    return [row("memory selection, 10,000 items", ours, floor, "one term in each", 0.005)]


def artifact() -> list[Row]:
    """Condensing a tool result of 5 MB."""
    text = "\n".join(f"line {number} src/a/b_{number % 97}.py ok {number * 7}" for number in range(170_000))[:5_000_000]
    about = Reference("bash", "c", failed=False, artifact=artifact_id("s", "e", "c", b"r"))
    ours, floor = beside(lambda: condense(text, about), lambda: "error" in text)
    return [row("artifact, 5 MB condensed", ours, floor, "one search in it", 0.020)]


def whole() -> list[Row]:
    """Plans of the largest real sessions, once each is known, at 32,000 tokens and at a 200,000-token window."""
    engine = filled()
    try:
        found: list[Row] = []
        for label, budget in (("32,000 tokens", 32_000), ("a 200,000 window", None)):
            times = []
            for session in largest(engine, 12):
                request = PlanRequest(session=session, budget=budget, no_sync=True)
                plan(engine, request)
                times += [timed(lambda request=request: plan(engine, request)) for _ in range(5)]  # type: ignore[misc]
            times.sort()
            middle, late = statistics.median(times), times[int(len(times) * 0.95)]
            found.append(
                Row(f"whole plan, {label}, p50 and p95", f"{ms(middle)}, {ms(late)}", goal="60 ms", met=late < 0.06)
            )
        return found
    finally:
        engine.close()


def prefix() -> list[Row]:
    """The share of each call's tokens that is the same as the beginning of the call before, per placement."""
    found = []
    for label, engine in (("Claude Code", filled()), ("Pi", pi_sessions())):
        with engine:
            sessions = largest(engine, 6)
            for placement, cache in product_of(("latest-user", "stable-prefix", "hybrid"), ("off", "steady")):
                share, degraded = reused(engine, sessions, placement, cache)
                found.append(Row(f"reusable prefix, {label}, {placement}, tail {cache}", f"{share:.0%}", degraded))
    return found


def reused(engine: Engine, sessions: list[str], placement: str, cache: str) -> tuple[float, str]:
    """The share over 20 calls in a row of each session at 32,000 tokens, and how many calls were not planned fully."""
    shared = total = degraded = 0
    for session in sessions:
        before: Planned | None = None
        for at in calls(engine, session, 20):
            request = PlanRequest(session=session, at=at, budget=32_000, placement=placement, cache=cache, no_sync=True)
            now = plan(engine, request)
            degraded += now.manifest.planning.mode != "managed"
            if before is not None:
                shared += same_tokens(before, now)
                total += now.manifest.composition.messages
            before = now
    return shared / max(1, total), f"{degraded} calls degraded" if degraded else ""


def kept() -> list[Row]:
    """Retention over all real sessions."""
    engine = filled()
    try:
        report = retention(engine, RetentionRequest(limit=1_000, no_sync=True))
    finally:
        engine.close()
    found = []
    for one in report.budgets:
        for way in one.ways:
            figure = f"retention {one.budget:,}, {way.name} ({one.points} requests)"
            shares = f"micro {way.micro} macro {way.macro} in text {way.text} net {way.net}"
            found.append(Row(figure, shares, ", ".join(f"{kind} {share:.2f}" for kind, share in way.kinds.items())))
    return found


def filled() -> Engine:
    """An engine over the real sessions, indexed once."""
    engine = product.engine(places.cache("plans"))
    sessions = places.real_sessions()
    product.fill(engine, [(name, sessions) for name in product.REAL])
    return engine


def pi_sessions() -> Engine:
    """An engine over the real sessions of Pi."""
    engine = product.engine(places.cache("plans-pi"))
    product.fill(engine, [("pi", places.data() / "pi" / "v1-real")])
    return engine


def largest(engine: Engine, count_: int) -> list[str]:
    """The sessions with the most entries."""
    rows = engine.history.db.execute(
        "SELECT source || ':' || id FROM sessions WHERE origin = 'main' GROUP BY 1 ORDER BY max(entries) DESC LIMIT ?",
        (count_,),
    )
    return [str(name) for (name,) in rows]


def calls(engine: Engine, session: str, most: int) -> Iterator[str]:
    """Entries of the model in a row from the middle of a session on."""
    source, _, name = session.partition(":")
    rows = engine.history.db.execute(
        "SELECT e.entry_id FROM entries e JOIN sessions s ON s.key = e.session WHERE s.source = ? AND s.id = ? "
        "AND e.role = 'assistant' AND e.visible AND NOT e.sidechain ORDER BY e.seq",
        (source, name),
    ).fetchall()
    start = len(rows) // 2
    yield from (str(id_) for (id_,) in rows[start : start + most])


def same_tokens(before: Planned, now: Planned) -> int:
    """Tokens of the leading messages that are the same in both."""
    total = 0
    for one, other in zip(before.messages, now.messages, strict=False):
        if (one.role, one.content) != (other.role, other.content):
            break
        total += other.tokens
    return total


def real_texts(count_: int) -> list[str]:
    """Texts of the real sessions."""
    engine = filled()
    rows = engine.history.db.execute("SELECT text FROM texts WHERE id % 37 = 0 LIMIT ?", (count_,)).fetchall()
    engine.close()
    return [str(text) for (text,) in rows]


def beside(ours: Callable[[], object], floor: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of two bodies, run in turn."""
    pairs = [(timed(ours), timed(floor)) for _ in range(ROUNDS)]
    return statistics.median(one for one, _ in pairs), statistics.median(other for _, other in pairs)


def timed(body: Callable[[], object]) -> float:
    """CPU seconds of one call: others may use the machine meanwhile, and nothing measured here waits."""
    start = time.process_time()
    body()
    return time.process_time() - start


def row(figure: str, ours: float, floor: float, what: str, goal: float) -> Row:
    """A figure with its floor and a goal in seconds."""
    return Row(figure, ms(ours), f"{what} {ms(floor)}", ours / floor if floor else None, ms(goal), ours < goal)
