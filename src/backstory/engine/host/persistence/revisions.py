"""Names the state of a pin, a memory or a source, so that a change says which state it was decided about.

A revision is a seal of this process over everything that matters of its target. It holds for a while, only in the
session and on the branch it was given out on, and only as long as the target is what it was.
"""

from backstory.engine.host.hosted import Hosted
from backstory.records.memory import Kept, MemorySource

PREFIX = "rev_"


def item(about: Hosted, kept: Kept, *, applies: bool) -> str:
    """The revision of an item as it is now; it is remembered as given out."""
    return _issue(about, _item(kept, applies=applies))


def item_holds(about: Hosted, code: str, kept: Kept, *, applies: bool) -> bool:
    """Whether a revision that was given out still says what an item is."""
    return _holds(about, code, _item(kept, applies=applies))


def source(about: Hosted, log: MemorySource) -> str:
    """The revision of a source as it is now; it is remembered as given out."""
    return _issue(about, _source(log))


def source_holds(about: Hosted, code: str, log: MemorySource) -> bool:
    """Whether a revision that was given out still says what a source is."""
    return _holds(about, code, _source(log))


def _item(kept: Kept, *, applies: bool) -> tuple[str, ...]:
    parts = (kept.kind, kept.id, kept.scope, kept.status, kept.created, kept.updated, kept.level, applies)
    return tuple(map(str, (*parts, kept.session, kept.project, kept.mutation)))


def _source(log: MemorySource) -> tuple[str, ...]:
    return ("source", log.session, log.status, str(log.records), str(log.mutations), str(log.malformed))


def _issue(about: Hosted, parts: tuple[str, ...]) -> str:
    leaf = _leaf(about)
    code = PREFIX + about.engine.pending.seal(*parts, about.name, leaf)
    about.engine.pending.issue(code, leaf, about.engine.now())
    return code


def _holds(about: Hosted, code: str, parts: tuple[str, ...]) -> bool:
    leaf = about.engine.pending.issued(code, about.engine.now())
    if leaf is None or (leaf and leaf not in about.context.branch_ids):
        return False
    return code == PREFIX + about.engine.pending.seal(*parts, about.name, leaf)


def _leaf(about: Hosted) -> str:
    return (about.context.leaf.entry_id or "") if about.context.leaf is not None else ""
