"""What was looked up and read of a session last, to quote from it: the same for all calls of a turn.

It depends on the folder of the session, as paths in what is quoted are relative to it. Looking up and reading is done
by `engine.planning.recall` and `engine.planning.evidence`.
"""

import msgspec

from backstory.plan.evidence.extracts import Drafts
from backstory.plan.evidence.matching import Wanted
from backstory.plan.evidence.recall import Notes
from backstory.plan.evidence.working import WorkingSet
from backstory.records.evidence import Said
from backstory.records.plan import Supplement

Kind = tuple[int, int, int]
"""The terms that an entry holds, that the one right before it holds, and the one right after it, each as bits."""


class Found(msgspec.Struct, frozen=True):
    """What a request finds among the first `count` entries of a branch, which end with `end`, by sequence number.

    `seqs` are those that hold each term, the newest first; `alternates` counts entries of other branches that hold any.
    `held` has a bit for each term that an entry holds; `kinds` are the entries by the bits of them and of those right
    before and after, `ranked` by tier and weight.
    """

    wanted: Wanted
    count: int
    end: int
    seqs: dict[str, list[int]]
    held: dict[int, int]
    kinds: dict[Kind, list[int]]
    ranked: dict[tuple[int, float], list[int]]
    alternates: int


class Remembered(msgspec.Struct):
    """A working set, under which rules of privacy it was made, and the positions of the entries it was made from.

    `kept` are the number and the digest of those entries as they stand in the database. `shown` is what was made from
    it last, after what that depends on, and `drafts` what was worked out for that.
    """

    policy: bytes
    positions: list[int]
    working: WorkingSet
    kept: tuple[int, str] = (0, "")
    shown: tuple[tuple[object, ...], list[Supplement]] | None = None
    drafts: Drafts = msgspec.field(default_factory=Drafts)


class Quoted(msgspec.Struct):
    """What the request of the last call found, by sequence number what was read for it, and the working set.

    `excerpted` are texts that excerpts were cut from, `matched` messages that matched, as they stood at `turns` (the
    user turns of the branch of then), and `notes` are what was worked out of these.
    """

    found: Found | None = None
    excerpted: dict[int, str] = msgspec.field(default_factory=dict)
    matched: dict[int, Said] = msgspec.field(default_factory=dict)
    turns: dict[int, int] = msgspec.field(default_factory=dict)
    notes: Notes = msgspec.field(default_factory=Notes)
    remembered: Remembered | None = None

    def unlook(self) -> None:
        """Let go of all that came from the index."""
        self.found, self.matched, self.notes = None, {}, Notes()
