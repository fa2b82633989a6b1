"""What two manifests have in common and what only one holds: two calls of a session, or one call planned twice."""

from backstory.plan.cache import common
from backstory.records.manifest import Line, Manifest
from backstory.records.planning import Comparison

_SHARED = frozenset(("pin", "memory", "project"))  # are the same in calls of several sessions


def diff(first: Manifest, second: Manifest) -> Comparison:
    """Compare what two calls sent, item by item."""
    before, after = _named(first), _named(second)
    prefix = same_prefix(first, second)
    return Comparison(
        first=first.id,
        second=second.id,
        kept=len(before.keys() & after.keys()),
        added=tuple(line for name, line in after.items() if name not in before),
        removed=tuple(line for name, line in before.items() if name not in after),
        tokens=second.estimated_input - first.estimated_input,
        prefix=prefix,
        prefix_tokens=sum(line.tokens for line in second.included[:prefix]),
    )


def same_prefix(first: Manifest, second: Manifest) -> int:
    """How many leading messages of two calls are the same, content included."""
    return common([line.hash for line in first.included], [line.hash for line in second.included])


def _named(made: Manifest) -> dict[tuple[str, str, object], Line]:
    """Items by what they are: an entry by its session and number, a supplement by kind and id."""
    return {_name(made.session, line, number): line for number, line in enumerate(made.included)}


def _name(session: str, line: Line, number: int) -> tuple[str, str, object]:
    if line.seq is not None:
        return (session, "entry", line.seq)
    return ("" if line.kind in _SHARED else session, line.kind, line.source if line.source is not None else number)
