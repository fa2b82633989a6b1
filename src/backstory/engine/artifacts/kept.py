"""Tool results that are kept: shown, searched and checked, and made again from the logs where they are damaged.

Before it: `engine.artifacts.condense`, which keeps them; beside it: `engine.artifacts.remake`.
"""

from itertools import islice

from backstory.config.paths import derived_folder
from backstory.engine.artifacts import remake
from backstory.engine.name_rules import MOST_BEGUN, begun
from backstory.engine.open import Engine
from backstory.errors import CorruptDatabaseError, InvalidLimitError, UsageError, quoted
from backstory.records.artifact import (
    Artifact,
    ArtifactCheck,
    ArtifactMatches,
    ArtifactRequest,
    ArtifactSearchRequest,
    ArtifactShown,
    ArtifactVerifyRequest,
)
from backstory.store import artifacts as stored
from backstory.store.objects import Objects
from backstory.text.locate import lowered, spread, stretch

MOST_MATCHES, AROUND = 12, 300
# Whoever keeps an object notes it as soon as all of a call are kept: far sooner than in so many seconds.
SPARED = 3_600


def show(engine: Engine, request: ArtifactRequest) -> ArtifactShown:
    """A tool result in full.

    Raises:
        UsageError: no artifact, or more than one, is called that.
        CorruptDatabaseError: its bytes are missing or damaged.
    """
    artifact = _named(engine, request.artifact)
    return ArtifactShown(artifact, _text(engine, artifact))


def search(engine: Engine, request: ArtifactSearchRequest) -> ArtifactMatches:
    """Stretches of a tool result around a text, without regard to case.

    Raises:
        UsageError, InvalidLimitError: the text or the limit makes no sense; no artifact is called that.
        CorruptDatabaseError: its bytes are missing or damaged.
    """
    wanted = " ".join(request.text).strip().lower()
    if not 2 <= len(wanted) <= 200:
        raise UsageError("the text to look for has 2 to 200 characters")
    if not 1 <= request.limit <= MOST_MATCHES:
        raise InvalidLimitError(f"--limit is 1 to {MOST_MATCHES}, not {request.limit}")
    artifact = _named(engine, request.artifact)
    text = _text(engine, artifact)
    lower = lowered(text)
    places = islice(spread(lower, wanted, AROUND), request.limit)
    matches = tuple(stretch(text, at, at + len(wanted), AROUND) for at in places)
    return ArtifactMatches(artifact, lower.count(wanted), matches)


def verify(engine: Engine, request: ArtifactVerifyRequest) -> ArtifactCheck:
    """Hash every kept object again; `repair` remakes missing and damaged ones, `collect` removes unreferenced ones.

    Those that were kept in the last hour stay: they may be about to be noted.
    """
    objects = Objects(derived_folder(engine.home))
    states = _states(engine, objects)
    broken = [id_ for id_, state in states.items() if state != "ok"] if request.repair else []
    remade = remake.again(engine, broken)
    if remade:
        states = _states(engine, objects)
    wanted = frozenset(artifact.digest for artifact in stored.everything(engine.history))
    unreferenced = sum(1 for digest in objects.digests() if digest not in wanted)
    return ArtifactCheck(
        whole=sum(state == "ok" for state in states.values()),
        missing=tuple(id_ for id_, state in states.items() if state == "missing"),
        corrupt=tuple(id_ for id_, state in states.items() if state == "corrupt"),
        unreferenced=unreferenced,
        removed=objects.collect(wanted, engine.now() / 1000 - SPARED) if request.collect else 0,
        remade=remade,
    )


def unhealthy(engine: Engine) -> tuple[int, int, int]:
    """How many artifacts are whole, missing and damaged."""
    states = _states(engine, Objects(derived_folder(engine.home))).values()
    whole, missing, corrupt = (sum(state == wanted for state in states) for wanted in ("ok", "missing", "corrupt"))
    return whole, missing, corrupt


def _states(engine: Engine, objects: Objects) -> dict[str, str]:
    return {artifact.id: objects.state(artifact.digest) for artifact in stored.everything(engine.history)}


def _named(engine: Engine, name: str) -> Artifact:
    """The artifact of an id or the one that is kept and begins so; where none is, the one that a log could give."""
    id_ = begun(name, "artifact", lambda beginning: stored.begun(engine.history, beginning, MOST_BEGUN))
    id_ = id_ or begun(name, "artifact", lambda beginning: remake.begun(engine, beginning))
    artifact = stored.get(engine.history, id_) or remake.remade(engine, id_) if id_ is not None else None
    if artifact is None:
        raise UsageError(
            f"no artifact is called {quoted(name)}",
            advice="backstory context artifacts SESSION lists those of a session",
        )
    return artifact


def _text(engine: Engine, artifact: Artifact) -> str:
    objects = Objects(derived_folder(engine.home))
    try:
        data = objects.get(artifact.digest)
    except CorruptDatabaseError:
        again = remake.remade(engine, artifact.id)
        if again is None:
            raise
        data = objects.get(again.digest)
    return data.decode("utf-8", "replace")
