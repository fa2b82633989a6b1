"""Manifests of planned calls: list, show, explain and compare them, and plan a past call again."""

from contextlib import suppress

from backstory.engine import name_rules, naming
from backstory.engine.name_rules import MOST_BEGUN, SessionFile, begun
from backstory.engine.open import Engine
from backstory.engine.planning.call import Terms
from backstory.engine.planning.plan import plan
from backstory.errors import InvalidLimitError, UnknownSessionError, UsageError, quoted
from backstory.plan import diff as differences
from backstory.plan import explain as words
from backstory.records.budget import Usage
from backstory.records.manifest import Manifest, Tools
from backstory.records.planning import (
    Comparison,
    DiffRequest,
    Explanation,
    Lines,
    ManifestList,
    ManifestRequest,
    ManifestRow,
    ManifestsRequest,
    Planned,
    PlanRequest,
    ReplayRequest,
)
from backstory.sources import registry
from backstory.store import manifests as stored
from backstory.text.calls import places

MOST_LISTED = 10_000


def listed(engine: Engine, request: ManifestsRequest) -> ManifestList:
    """Manifests, the latest first.

    Raises:
        InvalidLimitError: the limit is out of bounds.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    if not 1 <= request.limit <= MOST_LISTED:
        raise InvalidLimitError(f"--limit is 1 to {MOST_LISTED}, not {request.limit}")
    session = _session(engine, request.session) if request.session is not None else None
    passing = [_row(one) for one in engine.unsaved.listed(session)]
    found = [*passing, *stored.listed(engine.history, session, request.limit)]
    if passing:
        found.sort(key=lambda row: row.created, reverse=True)
    return ManifestList(tuple(found[: request.limit]), session)


def _session(engine: Engine, name: str) -> str:
    """The session of a name as source:id: an indexed one, else one that only its planned calls are known of."""
    with suppress(UnknownSessionError):
        _, row = naming.session(engine, name)
        return f"{row.source}:{row.session_id}"
    calls = stored.sessions(engine.history) | {one.session for one in engine.unsaved.listed(None)}
    known = [(one, *registry.split(one)) for one in sorted(calls)]

    def named(begin: str, source: str | None) -> list[SessionFile[str]]:
        fitting = [one for one in known if one[2].startswith(begin) and source in {None, one[1]}]
        return [SessionFile(0, of or "", id_, "", missing=True, row=one) for one, of, id_ in fitting]

    try:
        found: str = name_rules.session(name, named, lambda *_: [])[0].row
    except UnknownSessionError as error:
        error.args = (f"no session that is indexed, and none of a planned call, is called {quoted(name)}",)
        raise
    return found


def show(engine: Engine, request: ManifestRequest) -> Manifest:
    """One manifest as it was stored.

    Raises:
        UsageError: no manifest, or more than one, is called that.
    """
    return _named(engine, request.manifest)


def explain(engine: Engine, request: ManifestRequest) -> Explanation:
    """One manifest in words."""
    manifest = _named(engine, request.manifest)
    return Explanation(manifest.id, tuple(words.explain(manifest)))


def included(engine: Engine, request: ManifestRequest) -> Lines:
    """What a call held."""
    manifest = _named(engine, request.manifest)
    return Lines(manifest.id, manifest.included, places=places(manifest))


def excluded(engine: Engine, request: ManifestRequest) -> Lines:
    """What stayed out of a call."""
    manifest = _named(engine, request.manifest)
    inventory = manifest.inventory
    return Lines(manifest.id, manifest.excluded, inventory.excluded - inventory.retained if inventory else 0)


def diff(engine: Engine, request: DiffRequest) -> Comparison:
    """What two calls had in common, and what only one of them held."""
    return differences.diff(_named(engine, request.first), _named(engine, request.second))


def replay(engine: Engine, request: ReplayRequest) -> Planned:
    """A past call planned again; what is not given stays as it was.

    Raises:
        UsageError: no manifest, or more than one, is called that, or its request is not kept anywhere and not given.
        UnknownSessionError, UnknownEntryError: the session, or the entry it went on from, is not there any more.
    """
    past = _named(engine, request.manifest)
    if past.leaf is None and past.call is None:
        raise UsageError(f"the call of manifest {past.id} went on from no entry and cannot be found again")
    if request.request is None and _unlogged(past):
        raise UsageError(
            f"the request of manifest {past.id} stands in no log; give it with --request, or an empty one to do without"
        )
    known = f"{past.provider}/{past.model}" if past.provider != "unknown" else None
    same = request.model is None or request.model == known
    return plan(
        engine,
        PlanRequest(
            session=past.session,
            at=past.call,
            leaf=None if past.call else past.leaf,
            request=request.request,
            budget=request.budget if request.budget is not None else past.asked.messages,
            window=request.window if request.window is not None else past.budget.window,
            model=request.model or known,
            max_output=request.max_output if request.max_output is not None or not same else past.asked.output,
            fixed=past.composition.system + past.composition.tools,
            project=request.project if request.project is not None else past.project,
            placement=request.placement or past.planning.placement,
            cache=request.cache or (past.cache.mode if past.cache is not None else None),
            no_sync=True,
        ),
        Terms(tools=Tools(past.composition.tools, past.tools if past.composition.tool_count is not None else None)),
        replayed=past.id,
    )


def _unlogged(past: Manifest) -> bool:
    """Whether what a person asked in a call stood in no log."""
    first = next((line for line in past.included if line.kind == "current"), None)
    return first is not None and first.source is None and first.seq is None


def _row(one: Manifest) -> ManifestRow:
    actual = one.usage.prompt if one.usage is not None else None
    model = f"{one.provider}/{one.model}"
    return ManifestRow(one.id, one.session, one.created, one.planning.mode, model, one.estimated_input, actual)


def named(engine: Engine, name: str) -> Manifest | None:
    """The manifest of an id, or of a beginning that no other has, kept or passing; None when there is none.

    Raises:
        AmbiguousNameError: several ids begin so.
    """
    history, passing = engine.history, engine.unsaved
    id_ = begun(name, "manifest", lambda start: [*passing.begun(start), *stored.begun(history, start, MOST_BEGUN)])
    return None if id_ is None else passing.get(id_) or stored.get(history, id_)


def _named(engine: Engine, name: str) -> Manifest:
    found = named(engine, name)
    if found is None:
        raise UsageError(
            f"no manifest is called {quoted(name)}", advice="backstory manifest list lists those that are kept"
        )
    return found


def answered(engine: Engine, manifest_id: str, usage: Usage) -> bool:
    """Note what a provider counted for a planned call, which calibration learns from; false when it was known already.

    For hosts: to be called once per answer, and not for answers that failed or were stopped.

    Raises:
        UsageError: no manifest, or more than one, is called that.
    """
    manifest = _named(engine, manifest_id)
    profile = f"{manifest.provider}/{manifest.model}@{manifest.estimator}"
    if engine.unsaved.get(manifest.id) is not None:
        return engine.unsaved.answered(manifest, usage, profile, engine.now())
    return stored.answered(engine.history, manifest, usage, profile, engine.now())
