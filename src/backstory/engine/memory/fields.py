"""What the fields of a pin or a memory may hold: text, level, scope, source, as somebody gave them.

After it: `proposals`, which makes items of them.
"""

from collections.abc import Sequence

from backstory.engine.context import Context
from backstory.engine.memory import sync
from backstory.errors import UsageError
from backstory.plan.memory import rules
from backstory.plan.memory.mutations import LEVELS
from backstory.privacy.secrets import redact
from backstory.records.memory import Kept
from backstory.records.mutation import Scoped


def text(words: Sequence[str], longest: int) -> str:
    """The words as one normal text of at most `longest` characters.

    Raises:
        UsageError: it is empty or too long, or holds a credential.
    """
    normal = rules.normal_text(" ".join(words), longest)
    if redact(normal)[1]:
        raise UsageError("the text holds a credential, which is not kept")
    return normal


def one_of(flag: str, value: str, known: Sequence[str]) -> None:
    """Raises UsageError for a value that is not among the known ones."""
    if value not in known:
        raise UsageError(f"{flag} is one of {', '.join(known)}, not {value!r}")


def level(asked: str | None, replaced: Kept | None) -> str:
    """The level that was asked for, else that of what is replaced.

    Raises:
        UsageError: there is no such level.
    """
    wanted = asked or (replaced.level if replaced is not None else "normal")
    one_of("--classification", wanted, tuple(sorted(LEVELS)))
    return wanted


def scoped(context: Context, scope: str) -> Scoped:
    """Where an item of a scope holds.

    Raises:
        UsageError: the session has no project, or no branch, for it to hold in.
    """
    if scope == "project":
        project = sync.project_of(context.row.cwd)
        if project is None:
            raise UsageError("the session has no working folder, so it has no project")
        return Scoped(scope=scope, project_path=project)
    if scope == "branch":
        if context.leaf is None or context.leaf.entry_id is None:
            raise UsageError("the session has no branch to pin to")
        return Scoped(scope=scope, branch_leaf_id=context.leaf.entry_id)
    return Scoped(scope=scope)


def same_scope(item: Kept, context: Context, other: Scoped) -> bool:
    """Whether an item holds where another one would."""
    if item.scope != other.scope:
        return False
    return item.project == other.project_path if item.scope == "project" else item.session == context.row.session_id


def source(context: Context, name: str) -> str:
    """The id of the entry that an item rests on.

    Raises:
        UsageError: it is not on the active branch.
        UnknownEntryError, AmbiguousNameError: nothing, or too much, is called that.
    """
    entry = context.transcript.entries[context.transcript.meant(name)]
    if entry.entry_id is None or entry.entry_id not in context.branch_ids:
        raise UsageError(f"the entry {name!r} is not on the active branch")
    return entry.entry_id


def sources(context: Context, names: Sequence[str]) -> list[str]:
    """The ids of several such entries; raises the same."""
    return [source(context, name) for name in names]
