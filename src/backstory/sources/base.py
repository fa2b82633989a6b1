"""The seam every agent's log format plugs into: one `Source` per agent, one `Parser` per file being read.

A source only turns native records into drafts. Where its files lie and how its sessions are resumed is plain data
(`sources.locations`), so that asking for it loads no source. Splitting files into records, offsets, hashes, damaged
lines, checkpoints and storage belong to its neighbours (`sources.lines`, `sources.reading`, `index`); it never sees a
database. Before it in the flow: nothing. After it: `backstory.index`.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol

from backstory.records.message import Message
from backstory.records.session import Draft, Facts
from backstory.records.summary import SummaryDetails
from backstory.sources.locations import Location


class Parser(Protocol):
    """Reads the records of one file in order.

    `facts` is filled as records pass. A parser starts from empty facts, or from the facts (with `facts.state`)
    that it had reached at a checkpoint, and then behaves as if it had read everything before.
    """

    facts: Facts

    def parse(self, raw: bytes) -> Sequence[Draft]:
        """Drafts of one native record: none for a header or patch line, else usually one.

        Raises `msgspec.DecodeError` when the bytes are not JSON (the caller then tries to recover the line) and
        nothing else: valid JSON of an unexpected shape becomes a draft of kind state without text.
        """
        ...


class Source(Protocol):
    """One agent's log format; `location` is its row, whose name is the one the registry knows it by.

    Files are lines unless a source says otherwise; whoever derives from this class writes `document` and `split` only
    for files that are one JSON value.
    """

    location: ClassVar[Location]
    summarised: ClassVar[bool] = False

    def recognise(self, path: str, head: bytes) -> bool:
        """Whether a file is a session of this agent, by its path and its beginning, of up to 64 KiB (decompressed).

        What is recognised by some of the beginning is recognised by more of it.
        """
        ...

    def parser(self, path: str, facts: Facts | None = None) -> Parser:
        """A parser for a file of this agent, fresh or resumed from `facts`."""
        ...

    def message(self, raw: bytes) -> Message | None:
        """The canonical message of one raw record, None when it never reaches a model."""
        ...

    def details(self, raw: bytes) -> SummaryDetails:  # noqa: ARG002  (asked of the sources that have any)
        """What one raw record of a summary says beside its text, where `summarised` says that records do.

        Raises `msgspec.DecodeError` when the bytes are not JSON.
        """
        return SummaryDetails()

    def number(self, raw: bytes) -> int | None:  # noqa: ARG002  (asked of the sources that number their records)
        """The number that a raw record states for itself, None when it states none."""
        return None

    def document(self, path: str) -> bool:  # noqa: ARG002  (asked of the sources that have documents)
        """Whether this file is one JSON value to be cut by `split`, not lines."""
        return False

    def split(self, data: bytes) -> Iterator[tuple[int, bytes]]:  # noqa: ARG002
        """For documents: the records of a whole file as (offset, raw bytes), the header first."""
        return iter(())
