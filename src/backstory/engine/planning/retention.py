"""Measures retention on a person's own logs: read-only, session by session, nothing kept."""

from collections.abc import Iterator

from backstory.engine import context as contexts
from backstory.engine import naming
from backstory.engine.indexing.index import BUDGET_MS, sync
from backstory.engine.open import Engine
from backstory.engine.planning import evidence
from backstory.engine.sessions import hints
from backstory.errors import BackstoryError, InvalidLimitError, UsageError
from backstory.plan.retention import HISTORY, PLAN, SUMMARY, TAIL, Replay, Score
from backstory.records.retention import BudgetRetention, Recall, RetentionReport, RetentionRequest
from backstory.records.session import Kind
from backstory.store import browse, entries
from backstory.text.wording import counted

BUDGETS = (16_000, 32_000, 64_000)
MOST_SESSIONS = 100_000


def retention(engine: Engine, request: RetentionRequest) -> RetentionReport:
    """Recall of reused values per budget, for the tail alone, with the agent's summary, and with card and excerpts.

    Raises:
        UsageError, InvalidLimitError: a budget, share or limit makes no sense.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    if not 0 < request.share < 1 or any(budget <= 0 for budget in request.budget):
        raise UsageError("--share lies between 0 and 1, and a budget is positive")
    if not 1 <= request.limit <= MOST_SESSIONS:
        raise InvalidLimitError(f"--limit is 1 to {MOST_SESSIONS}, not {request.limit}")
    if not request.no_sync:
        sync(engine, budget_ms=BUDGET_MS)
    sizes = request.budget or BUDGETS
    scores: dict[tuple[int, str], Score] = {}
    looked = sessions = points = 0
    for name in _names(engine, request):
        looked += 1
        replay = Replay(sizes, request.share, scores)
        _run(engine, name, replay)
        sessions += replay.points > 0
        points += replay.points
        engine.go_on()
    budgets = tuple(_told(budget, scores) for budget in sizes)
    warnings = () if points else tuple(_nothing(engine, looked, synced=not request.no_sync))
    return RetentionReport(sessions, points, budgets, request.share, warnings)


def _nothing(engine: Engine, looked: int, *, synced: bool) -> list[str]:
    """Why nothing was measured."""
    if not looked:
        return hints.empty(engine, synced=synced)
    wanted = f"{HISTORY:,} characters before a request"
    return [f"No session is long enough to measure: of {counted(looked, 'session')} none has {wanted}"]


def _names(engine: Engine, request: RetentionRequest) -> Iterator[str]:
    if request.session:
        for name in request.session:
            _, row = naming.session(engine, name)
            yield f"{row.source}:{row.session_id}"
        return
    rows = browse.listed(engine.history, limit=request.limit)
    yield from (f"{row.source}:{row.session_id}" for row in rows if row.origin == "main")


def _run(engine: Engine, name: str, replay: Replay) -> None:
    """Replay one session; one that cannot be read measures nothing."""
    try:
        with engine.history.read():
            context = contexts.load(engine, name, hard=0)
            said = evidence.said(context)
            if sum(len(one.text) for one in said) < HISTORY:
                return
            nodes = [node.seq for node, _ in entries.nodes(engine.history, context.key) if node.kind == Kind.SUMMARY]
            rows = browse.shown(engine.history, context.key, nodes)
    except BackstoryError:
        return
    replay.run(said, {row.seq: row.text for row in rows})


def _told(budget: int, scores: dict[tuple[int, str], Score]) -> BudgetRetention:
    ways = [(way, scores[budget, way]) for way in (TAIL, SUMMARY, PLAN) if (budget, way) in scores]
    points = len(ways[-1][1].shares) if ways else 0
    values = sum(total for _, total in ways[-1][1].kinds.values()) if ways else 0
    return BudgetRetention(budget, points, values, tuple(_recall(way, score) for way, score in ways))


def _recall(way: str, score: Score) -> Recall:
    hits, total = (sum(pair[place] for pair in score.kinds.values()) for place in (0, 1))
    return Recall(
        name=way,
        micro=_share(hits, total),
        macro=_share(sum(score.shares), len(score.shares)),
        text=_share(sum(score.texts), len(score.texts)),
        net=_share(score.kept, score.reused),
        kinds={kind: round(pair[0] / pair[1], 4) for kind, pair in sorted(score.kinds.items())},
    )


def _share(part: float, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
