"""Which pins and memories concern a session, and which of them a name means.

Neighbours: `engine.memory.state` folds them, `engine.memory.proposals` changes them, commands show them.
"""

from collections.abc import Sequence

from backstory.engine.context import Context
from backstory.engine.memory import sync
from backstory.engine.name_rules import begun
from backstory.errors import UsageError, quoted
from backstory.plan.memory import select as memory_select
from backstory.records.memory import Kept


def concerning(context: Context, items: Sequence[Kept], *, everything: bool) -> tuple[Kept, ...]:
    """The items that concern a session, its project and its branch: the active ones, or all."""
    session, project, ids = context.row.session_id, sync.project_of(context.row.cwd), context.branch_ids
    return tuple(
        item
        for item in items
        if (everything or item.status == "active") and memory_select.applies(item, session, project, ids)
    )


def named(items: Sequence[Kept], name: str, noun: str) -> Kept:
    """The item of this id, or of this unique beginning of one. Raises `UsageError`."""
    by_id = {item.id: item for item in items}
    id_ = begun(name, noun, lambda beginning: [id_ for id_ in by_id if id_.startswith(beginning)])
    if id_ is None:
        raise UsageError(
            f"no {noun} is called {quoted(name)}", advice="the lists of pins and memories begin with their ids"
        )
    return by_id[id_]
