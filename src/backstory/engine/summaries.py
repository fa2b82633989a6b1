"""What logs say of their summaries beside the text, read from the log when it is asked for: nothing of it is indexed.

Summaries are few, and their details may hold whole texts of others. A record that is no longer what was indexed tells
nothing. Credentials in it are replaced, as they are in stored text.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from backstory.errors import UnreadableSourceError
from backstory.privacy.secrets import clean
from backstory.records.located import Located
from backstory.records.node import Node
from backstory.records.session import Kind
from backstory.records.summary import SummaryDetails, SummaryRef
from backstory.sources import raw, registry


def details(source: str, path: str, entries: Iterable[Located]) -> dict[int, SummaryDetails]:
    """The details of those entries of a log that are summaries, by sequence number; none of a log that has gone."""
    summaries = {one.seq: one for one in entries if one.kind == Kind.SUMMARY}
    found: dict[int, SummaryDetails] = {}
    if not summaries or source not in registry.names():  # a package that read it may have been removed
        return found
    reader = registry.load(source)
    if not reader.summarised:
        return found
    try:
        records = raw.read(path, {seq: (one.offset, one.length) for seq, one in summaries.items()})
    except UnreadableSourceError:
        return found
    for seq, record in records.items():
        if raw.digest(record) == summaries[seq].hash:
            try:
                found[seq] = _redacted(reader.details(raw.bare(record)))
            except msgspec.DecodeError:
                continue
    return found


def _redacted(found: SummaryDetails) -> SummaryDetails:
    return msgspec.convert(_cleaned(msgspec.to_builtins(found)), SummaryDetails)


def _cleaned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return value if _sound(value) else [_cleaned(inner) for inner in value]
    return clean(value) if isinstance(value, str) else value


def _sound(values: Sequence[Any]) -> bool:
    """Whether these are texts without a credential: looked at together, as there may be very many of them."""
    if not all(isinstance(one, str) for one in values):
        return False
    together = "\n".join(values)
    return clean(together) == together


def references(source: str, path: str, entries: Iterable[Located]) -> tuple[SummaryRef, ...]:
    """What is known of how the summaries among some entries came about."""
    some = list(entries)
    known = details(source, path, some)
    found = []
    for one in some:
        made = known[one.seq].provenance if one.seq in known else None
        if made is not None:
            name = one.entry_id or str(one.seq)
            found.append(SummaryRef(name, made.id, made.kind, made.level, len(made.sources), made.status, made.version))
    return tuple(found)


def sources(nodes: Sequence[Node], known: Mapping[int, SummaryDetails]) -> dict[int, tuple[int, ...]]:
    """The entries that each summary was made from, by sequence numbers; ids that the log does not hold are left out.

    A summary of a branch was made from all that was left behind: from the end of the branch up to where it forked off.
    """
    by_id = {node.entry_id: node for node in nodes if node.entry_id}
    at = {node.seq: node for node in nodes}
    found: dict[int, tuple[int, ...]] = {}
    for seq, one in known.items():
        if one.provenance is not None:
            found[seq] = tuple(sorted({by_id[id_].seq for id_ in one.provenance.sources if id_ in by_id}))
        elif one.leaf is not None and seq in at:
            kept = _above(by_id, at[seq].parent_id)
            found[seq] = tuple(sorted(_above(by_id, one.leaf) - kept))
    return found


def _above(by_id: Mapping[str, Node], id_: str | None) -> set[int]:
    """The numbers of an entry and of all above it."""
    found: set[int] = set()
    while id_ is not None and id_ in by_id and by_id[id_].seq not in found:
        found.add(by_id[id_].seq)
        id_ = by_id[id_].parent_id
    return found
