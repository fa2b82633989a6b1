"""Makes kept tool results again from the logs that they came from: nothing of them is lost with the derived folder.

The name of an artifact follows from its session, entry and call and from the hash of the record, so a name alone is
enough to find that record as long as its log holds it. Only records that can hold a large result are looked at.
"""

from collections.abc import Collection, Iterator

from backstory.config.paths import derived_folder
from backstory.engine.open import Engine
from backstory.engine.transcript import messages
from backstory.plan.condense import BY_HAND, artifact_id, printed
from backstory.privacy.secrets import redact
from backstory.records.artifact import Artifact
from backstory.records.message import Block, Message, Text, ToolResult
from backstory.store import artifacts as stored
from backstory.store import browse, context
from backstory.store.artifacts import ResultOrigin
from backstory.store.objects import Objects
from backstory.text.tokens import CHARS

MOST_BYTES = 100_000_000


def begun(engine: Engine, name: str) -> set[str]:
    """The ids of what could be made again that begin so."""
    return {id_ for id_, _, _ in origins(engine) if id_.startswith(name)}


def remade(engine: Engine, id_: str) -> Artifact | None:
    """The artifact of an id made again; None when no log has it (any more).

    Raises:
        DatabaseError: it cannot be kept.
    """
    found = next((origin for origin in origins(engine) if origin[0] == id_), None)
    return _made(engine, *found) if found is not None else None


def again(engine: Engine, ids: Collection[str]) -> int:
    """Make several artifacts again; gives how many could be.

    Raises:
        DatabaseError: one cannot be kept.
    """
    wanted = set(ids)
    made = 0
    for id_, origin, call in list(origins(engine)) if wanted else ():
        if id_ in wanted and _made(engine, id_, origin, call) is not None:
            wanted.discard(id_)
            made += 1
    return made


def _made(engine: Engine, id_: str, origin: ResultOrigin, call: str) -> Artifact | None:
    with engine.history.read():
        row = browse.by_keys(engine.history, [origin.session]).get(origin.session)
        entry = context.entries_at(engine.history, origin.session, [origin.seq]).get(origin.seq)
    if row is None or entry is None:  # forgotten, or read again, since it was found
        return None
    message = messages.of_entry(row, entry)
    result = _result(message, call, entry.kind) if isinstance(message, Message) else None
    text = printed(result, entry.kind) if result is not None else None
    if result is None or text is None:
        return None
    data = bytes_of(text)
    if len(data) > MOST_BYTES:
        return None
    old = stored.get(engine.history, id_)
    made = Artifact(
        id=id_, source=row.source, session_id=row.session_id, seq=origin.seq, call=call,
        tool=old.tool if old is not None else origin.tool if origin.calls else BY_HAND,
        digest=Objects(derived_folder(engine.home)).put(data),
        size=len(data), tokens=CHARS.block(result), failed=isinstance(result, ToolResult) and result.error,
        created=engine.now(),
    )  # fmt: skip
    stored.note(engine.history, origin.session, [made])
    return made


def bytes_of(text: str) -> bytes:
    """What is kept of a result: never a secret."""
    return redact(text)[0].encode("utf-8", "replace")


def origins(engine: Engine) -> Iterator[tuple[str, ResultOrigin, str]]:
    """(id, origin, call) of every tool result that plans may refer to, as the index has them now."""
    for origin in stored.origins(engine.history):
        for call in origin.calls or (BY_HAND,):
            yield artifact_id(origin.name, origin.entry_id or str(origin.seq), call, origin.hash), origin, call


def _result(message: Message, call: str, kind: str) -> Block | None:
    for block in message.blocks:
        if isinstance(block, ToolResult) and block.id == call:
            return block
        if call == BY_HAND and isinstance(block, Text) and printed(block, kind):
            return block
    return None
