"""What two manifests have in common and what only one holds: two calls of a session, or one call planned twice."""

from collections.abc import Iterable

from backstory.plan.cache import common
from backstory.records.manifest import Line, Manifest
from backstory.records.planning import Comparison


def diff(first: Manifest, second: Manifest) -> Comparison:
    """Compare what two calls sent, item by item."""
    before, after = _named(first.included), _named(second.included)
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


def _named(lines: Iterable[Line]) -> dict[tuple[str, object], Line]:
    """Items by what they are: an entry by its id and number, a supplement by kind and id."""
    return {_name(line, number): line for number, line in enumerate(lines)}


def _name(line: Line, number: int) -> tuple[str, object]:
    if line.seq is not None:
        return ("entry", line.seq)
    return (line.kind, line.source if line.source is not None else number)
