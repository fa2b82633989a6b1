"""Large tool results in plans: the short reference that stands for one, its bytes, and looking into them later.

Condensing happens while a call is planned and touches no disk; what it replaced is kept once the answer is made. Only
redacted bytes are kept, and only of results that a plan has referred to.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

import msgspec

from backstory.config.paths import derived_folder
from backstory.engine import remake
from backstory.engine.context import Context, resized
from backstory.engine.open import Engine
from backstory.errors import CorruptDatabaseError, InvalidLimitError, UsageError
from backstory.plan.condense import INLINE_CHARS, Reference, artifact_id, condense
from backstory.records.artifact import (
    Artifact,
    ArtifactCheck,
    ArtifactMatches,
    ArtifactRequest,
    ArtifactSearchRequest,
    ArtifactShown,
    ArtifactVerifyRequest,
)
from backstory.records.manifest import ArtifactRef
from backstory.records.message import Block, Message, ToolCall, ToolResult
from backstory.records.placed import Placed
from backstory.store import artifacts as stored
from backstory.store.artifacts import Artifacts
from backstory.text.locate import lowered, spread
from backstory.text.tokens import CHARS, Estimator

MOST_MATCHES, AROUND = 12, 300


class Condensed(msgspec.Struct):
    """One result that was replaced: what the manifest says of it, and its text."""

    ref: ArtifactRef
    seq: int
    call: str
    failed: bool
    text: str


def condense_context(
    given: Context,
    positions: Sequence[int] | None = None,
    estimator: Estimator = CHARS,
    threshold: int = INLINE_CHARS,
) -> list[Condensed]:
    """Replace large tool results in a context (all, or those at some positions) in place; sizes follow.

    Large is what has more than `threshold` characters.
    """
    large = [at for at in (given.read if positions is None else positions) if _replaceable(given, at, threshold)]
    if not large:
        return []
    tools = _tools(given, {answer for at in large for answer in given.items[at].answers})
    found: list[Condensed] = []
    for position in large:
        short, condensed = _shortened(given, position, tools, threshold)
        given.messages[position] = short
        given.items[position] = msgspec.structs.replace(given.items[position], tokens=estimator.message(short))
        found += condensed
    given.groups = resized(given.groups, given.items, large)
    return found


def _replaceable(given: Context, at: int, threshold: int) -> bool:
    message = given.messages[at]
    if message is None or given.items[at].seq is None:
        return False
    read = given.transcript.prepared.read[given.entries[at]]
    if message is read.message and read.longest <= threshold:
        return False
    return any(_large(block, threshold) for block in message.blocks)


def _shortened(
    given: Context, position: int, tools: dict[str, str], threshold: int
) -> tuple[Message, tuple[Condensed, ...]]:
    """A message with its large results replaced, remembered as long as it would come out the same."""
    message = given.messages[position]
    if message is None:
        raise ValueError("only a message that was read can be shortened")
    remembered, entry = given.transcript.prepared.condensed, given.entries[position]
    key = (threshold, tuple(tools.get(block.id, "") for block in message.blocks if isinstance(block, ToolResult)))
    known = remembered.get(entry)
    if known is not None and known[0] is message and known[1] == key:
        return known[2], known[3]
    found: list[Condensed] = []
    place = given.transcript.entries[entry]
    blocks = tuple(
        _block(block, given.session, place, tools, found) if _large(block, threshold) else block
        for block in message.blocks
    )
    short = msgspec.structs.replace(message, blocks=blocks)
    remembered[entry] = message, key, short, tuple(found)
    return short, tuple(found)


def keep(engine: Engine, given: Context, condensed: list[Condensed]) -> None:
    """Keep the redacted bytes of what was replaced, each once; nothing of a session that is not in the database.

    Raises:
        DatabaseError: they cannot be kept.
    """
    if not given.key:
        return
    known = stored.known(engine.history, given.key)
    new = [one for one in condensed if one.ref.id not in known]
    objects = Artifacts(derived_folder(engine.home))
    kept: list[Artifact] = []
    for one in new:
        data = remake.bytes_of(one.text)
        if len(data) <= remake.MOST_BYTES:
            made = Artifact(
                id=one.ref.id, source=given.row.source, session_id=given.row.session_id, seq=one.seq, call=one.call,
                tool=one.ref.tool, digest=objects.put(data), size=len(data), tokens=one.ref.original_tokens,
                failed=one.failed, created=engine.now(),
            )  # fmt: skip
            kept.append(made)
    if kept:
        stored.note(engine.history, given.key, kept)


def show(engine: Engine, request: ArtifactRequest) -> ArtifactShown:
    """A tool result in full.

    Raises:
        UsageError: no artifact, or more than one, is called that.
        CorruptDatabaseError: its bytes are missing or damaged.
    """
    found = _named(engine, request.artifact)
    return ArtifactShown(found, _text(engine, found))


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
    found = _named(engine, request.artifact)
    text = _text(engine, found)
    lower = lowered(text)
    places = islice(spread(lower, wanted, AROUND), request.limit)
    matches = tuple(text[max(0, at - AROUND) : at + len(wanted) + AROUND] for at in places)
    return ArtifactMatches(found, lower.count(wanted), matches)


def verify(engine: Engine, request: ArtifactVerifyRequest) -> ArtifactCheck:
    """Hash every kept object again; `repair` remakes missing and damaged ones, `collect` removes unreferenced ones."""
    objects = Artifacts(derived_folder(engine.home))
    states = _states(engine, objects)
    broken = [id_ for id_, state in states.items() if state != "ok"] if request.repair else []
    remade = remake.again(engine, broken)
    if remade:
        states = _states(engine, objects)
    wanted = frozenset(one.digest for one in stored.everything(engine.history))
    unreferenced = sum(1 for digest in objects.digests() if digest not in wanted)
    return ArtifactCheck(
        whole=sum(state == "ok" for state in states.values()),
        missing=tuple(id_ for id_, state in states.items() if state == "missing"),
        corrupt=tuple(id_ for id_, state in states.items() if state == "corrupt"),
        unreferenced=unreferenced,
        removed=objects.collect(wanted) if request.collect else 0,
        remade=remade,
    )


def unhealthy(engine: Engine) -> tuple[int, int, int]:
    """How many artifacts are whole, missing and damaged."""
    states = _states(engine, Artifacts(derived_folder(engine.home))).values()
    whole, missing, corrupt = (sum(state == one for state in states) for one in ("ok", "missing", "corrupt"))
    return whole, missing, corrupt


def _states(engine: Engine, objects: Artifacts) -> dict[str, str]:
    return {one.id: objects.state(one.digest) for one in stored.everything(engine.history)}


def _large(block: Block, threshold: int) -> bool:
    return isinstance(block, ToolResult) and len(block.content) > threshold


def _block(block: Block, session: str, place: Placed, tools: dict[str, str], found: list[Condensed]) -> Block:
    if not isinstance(block, ToolResult):
        return block
    tool, entry = tools.get(block.id, ""), place.entry_id or str(place.seq)
    id_ = artifact_id(session, entry, block.id, place.hash)
    text = condense(block.content, Reference(tool, block.id, block.error, id_))
    short = ToolResult(block.id, text, block.error)
    before, after = CHARS.block(block), CHARS.block(short)
    ref = ArtifactRef(id_, len(block.content), entry, tool or None, before, after)
    found.append(Condensed(ref, place.seq, block.id, block.error, block.content))
    return short


def _tools(given: Context, wanted: AbstractSet[str]) -> dict[str, str]:
    """The tools of some calls in the context; of an id used again, the last."""
    made = (given.messages[at] for at in given.read if not wanted.isdisjoint(given.items[at].calls))
    blocks = (block for message in made if message is not None for block in message.blocks)
    return {block.id: block.name for block in blocks if isinstance(block, ToolCall)}


def _named(engine: Engine, name: str) -> Artifact:
    found = stored.named(engine.history, name) or remake.remade(engine, name) if name else None
    if found is None:
        told = "backstory context artifacts SESSION lists those of a session"
        raise UsageError(f"no artifact, or more than one, is called {name!r}; {told}")
    return found


def _text(engine: Engine, found: Artifact) -> str:
    objects = Artifacts(derived_folder(engine.home))
    try:
        data = objects.get(found.digest)
    except CorruptDatabaseError:
        again = remake.remade(engine, found.id)
        if again is None:
            raise
        data = objects.get(again.digest)
    return data.decode("utf-8", "replace")
