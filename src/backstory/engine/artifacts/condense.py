"""Large tool results in a context: the short references that stand for them, and keeping what was replaced.

What a command printed that a person ran by hand counts as a result too; what a person wrote is never shortened.
Condensing happens while a call is planned and touches no disk; what it replaced is kept once the answer is made. Only
redacted bytes are kept, and only of results that a plan has referred to.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from backstory.config.paths import derived_folder
from backstory.engine.artifacts import remake
from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.engine.transcript.prepared import Condensed, Shortened
from backstory.plan.condense import BY_HAND, INLINE_CHARS, Reference, artifact_id, condense, printed
from backstory.privacy import classify
from backstory.records.artifact import Artifact
from backstory.records.located import Located
from backstory.records.manifest import ArtifactRef
from backstory.records.message import Block, Message, Text, ToolCall, ToolResult
from backstory.records.session import Kind
from backstory.store import artifacts as stored
from backstory.store.objects import Objects
from backstory.text.tokens import BLOCK_TOKENS, CHARS, MESSAGE_TOKENS, UNITS_PER_TOKEN, Estimator

_PRINTED = frozenset((Kind.TOOL_RESULT, Kind.COMMAND))


def condense_context(
    context: Context,
    positions: Sequence[int] | None = None,
    estimator: Estimator = CHARS,
    threshold: int = INLINE_CHARS,
) -> list[Condensed]:
    """Replace large results in a context (all, or those at some positions) in place; sizes follow.

    Large is what has more than `threshold` characters.
    """
    messages, items = context.messages, context.items
    read, entries = context.transcript.prepared.read, context.entries
    large = [
        at
        for at in (context.read if positions is None else positions)
        if items[at].seq is not None
        and (messages[at] is not (known := read[entries[at]]).message or known.longest > threshold)
        and _replaceable(messages[at], items[at].kind, threshold)
    ]
    if not large:
        return []
    tools = _tools(context, {answer for at in large for answer in context.items[at].answers})
    made = {at: _shortened(context, at, tools, threshold) for at in large}
    context.show({at: short for at, (short, _) in made.items()}, estimator)
    return [one for _, condensed in made.values() for one in condensed]


def sizes(context: Context, threshold: int = INLINE_CHARS) -> list[int]:
    """The tokens of every item as the index knows them, but of a result no more than are left when it is replaced."""
    most = -(-max(threshold, INLINE_CHARS) // UNITS_PER_TOKEN) + MESSAGE_TOKENS + 2 * BLOCK_TOKENS
    items = context.items
    return [most if size > most and items[at].kind in _PRINTED else size for at, size in enumerate(context.sizes)]


def _replaceable(message: Message | None, kind: str, threshold: int) -> bool:
    return message is not None and any(len(printed(block, kind) or "") > threshold for block in message.blocks)


def _shortened(
    context: Context, position: int, tools: dict[str, str], threshold: int
) -> tuple[Message, tuple[Condensed, ...]]:
    """A message with its large results replaced, remembered as long as it would come out the same."""
    message = context.messages[position]
    if message is None:
        raise ValueError("only a message that was read can be shortened")
    remembered, entry = context.transcript.prepared.condensed, context.entries[position]
    key = (threshold, tuple(tools.get(block.id, "") for block in message.blocks if isinstance(block, ToolResult)))
    known = remembered.get(entry)
    if known is not None and known.message is message and known.key == key:
        return known.short, known.replaced
    located = context.transcript.entries[entry]
    logged = context.transcript.prepared.read[entry].message or message
    blocks, replaced = list(message.blocks), list[Condensed]()
    for at, block in enumerate(message.blocks):
        text = printed(block, located.kind)
        if text is not None and len(text) > threshold:
            # What is kept says itself how private it is: other models may look into it later.
            whole = printed(logged.blocks[at], located.kind) or text
            blocks[at], condensed = _reference(block, text, whole, context.session, located, tools)
            replaced.append(condensed)
    short = msgspec.structs.replace(message, blocks=tuple(blocks))
    remembered[entry] = Shortened(message, key, short, tuple(replaced))
    return short, tuple(replaced)


def keep(engine: Engine, context: Context, condensed: list[Condensed]) -> dict[str, str]:
    """Keep the redacted bytes of what was replaced, each once; nothing of a session that is not in the database.

    Gives what names the bytes, by the id of the artifact.

    Raises:
        DatabaseError: they cannot be kept.
    """
    if not context.key:
        return {}
    known = stored.known(engine.history, context.key)
    new = [result for result in condensed if result.ref.id not in known]
    objects = Objects(derived_folder(engine.home))
    kept: list[Artifact] = []
    for result in new:
        data = remake.bytes_of(result.text)
        if len(data) <= remake.MOST_BYTES:
            made = Artifact(
                id=result.ref.id, source=context.row.source, session_id=context.row.session_id,
                seq=result.seq, call=result.call, tool=result.ref.tool, digest=objects.put(data), size=len(data),
                tokens=result.ref.original_tokens, failed=result.failed, created=engine.now(),
            )  # fmt: skip
            kept.append(made)
    if kept:
        stored.note(engine.history, context.key, kept)
    return known | {one.id: one.digest for one in kept}


def _reference(
    block: Block, text: str, whole: str, session: str, located: Located, tools: dict[str, str]
) -> tuple[Block, Condensed]:
    """The short block that stands for a large one, and what it stands for: `whole` is its text as the log has it."""
    entry = located.entry_id or str(located.seq)
    call, tool, failed = BY_HAND, BY_HAND, None
    if isinstance(block, ToolResult):
        call, tool, failed = block.id, tools.get(block.id, ""), block.error
    id_ = artifact_id(session, entry, call, located.hash)
    said = condense(text, Reference(tool, call, failed, id_))
    short = msgspec.structs.replace(block, content=said) if isinstance(block, ToolResult) else Text(said)
    before, after = CHARS.block(block), CHARS.block(short)
    ref = ArtifactRef(id_, len(text), entry, tool or None, before, after, call=call, error=failed)
    ref = msgspec.structs.replace(ref, level=classify.level(whole))
    return short, Condensed(ref, located.seq, call, bool(failed), whole)


def _tools(context: Context, wanted: AbstractSet[str]) -> dict[str, str]:
    """The tools of some calls in the context; of an id used again, the last."""
    made = (context.messages[at] for at in context.read if not wanted.isdisjoint(context.items[at].calls))
    blocks = (block for message in made if message is not None for block in message.blocks)
    return {block.id: block.name for block in blocks if isinstance(block, ToolCall)}
