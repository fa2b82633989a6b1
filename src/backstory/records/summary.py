"""What a log says of a summary beside its text: files it speaks of, what it was made from, how far it was checked.

Texts are in none of this, so it needs no more care than ids and paths do.
"""

from typing import Literal

from backstory.records.base import Record

SummaryKind = Literal["segment", "aggregate", "task-state", "branch"]
Checked = Literal["valid", "warning", "invalid"]


class SummaryPart(Record, frozen=True):
    """A summary that went into another one and is kept beside it; `chars` is the length of its text.

    `sources` are ids of the entries it was made from, `children` of the summaries it was made from, in their order.
    """

    id: str
    kind: SummaryKind
    level: int
    sources: tuple[str, ...]
    children: tuple[str, ...]
    source_hash: str
    status: Checked
    issues: tuple[str, ...] = ()
    created: float = 0
    chars: int = 0
    provider: str | None = None
    model: str | None = None


class Provenance(Record, frozen=True):
    """How a summary came about; `version` is the shape it was written in, `parts` are the summaries kept beside it.

    `kept` is the first entry that it left as it was, `tokens` what the context held before, `messages` how many
    messages it stands for, `reason` one of manual, threshold, overflow and proactive. A `split` one cut a turn in two.
    `segment` is the summary of the newest stretch, which is the summary itself unless it was made from others.
    """

    version: int
    id: str
    kind: SummaryKind
    level: int
    segment: str
    sources: tuple[str, ...]
    children: tuple[str, ...]
    source_hash: str
    status: Checked
    issues: tuple[str, ...]
    kept: str
    tokens: float
    reason: str
    split: bool
    messages: float
    generated: float
    provider: str
    model: str
    parts: tuple[SummaryPart, ...] = ()


class SummaryDetails(Record, frozen=True):
    """The details of one summary. `problem` says why its provenance is not understood, where it has one.

    `leaf` is the last entry of the branch that a summary of a branch looks back at.
    """

    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    provenance: Provenance | None = None
    problem: str | None = None
    leaf: str | None = None


class SummaryRef(Record, frozen=True):
    """A summary in a call: its entry, what it was made from by number, and how far it was checked."""

    entry: str
    id: str
    kind: SummaryKind
    level: int
    sources: int
    status: Checked
    version: int
