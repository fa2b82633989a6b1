"""Memories that say otherwise than others: refused in one scope, told where two scopes differ.

What contradicts what is `plan.memory.rules`. Neighbour: `engine.memory.proposals` asks before anything is kept.
"""

from collections.abc import Sequence

from backstory.errors import UsageError
from backstory.plan.memory import rules
from backstory.records.memory import Kept

SHOWN_ID = 12
_KEPT_FOR = {"session": "this session", "project": "the project"}


def agreeing(claim: str, key: str | None, known: Sequence[Kept]) -> None:
    """Refuse a claim that contradicts what is remembered.

    Raises:
        UsageError: it does.
    """
    if against := rules.conflicts(claim, key, known):
        names = ", ".join(item.id for item in against)
        # The advice is for people; a model, which may not see every memory, is told the message alone.
        said = "; ".join(f"{item.id[:SHOWN_ID]} says: {item.text}" for item in against)
        raise UsageError(f"it contradicts {names}, which has to be superseded instead", advice=said)


def against(held: Sequence[Kept], claim: str, key: str | None, others: Sequence[Kept]) -> tuple[Kept, ...]:
    """Of the memories that are held, but for these others, those that a claim contradicts."""
    seen = {item.id for item in others}
    return tuple(item for item in _otherwise(claim, key, held) if item.id not in seen)


def doubts(against: Sequence[Kept]) -> tuple[str, ...]:
    """What a person should know of memories that say otherwise and stay in force, a line each."""
    return tuple(
        f"{other.id[:SHOWN_ID]}, kept for {_KEPT_FOR[other.scope]}, says otherwise: {other.text}" for other in against
    )


def disagreements(items: Sequence[Kept]) -> tuple[str, ...]:
    """Memories in force, of those that concern a session, that say otherwise than an earlier one, a line each."""
    told = []
    for at, item in enumerate(items):
        earlier = _otherwise(item.text, item.key, items[:at]) if item.status == "active" else []
        told += [
            f"{item.id[:SHOWN_ID]} says otherwise than {other.id[:SHOWN_ID]}, and both are in force"
            for other in earlier
        ]
    return tuple(told)


def _otherwise(claim: str, key: str | None, items: Sequence[Kept]) -> list[Kept]:
    """The active ones that are about the same and do not say the same."""
    return [item for item in rules.conflicts(claim, key, items) if item.text.lower() != claim.lower()]
