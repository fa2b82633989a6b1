"""Decides from stamps alone what has to be done about a file; pure.

`sources.prints.continues` then confirms an append by hash; a failed confirmation turns it into a reconciliation.
"""

from enum import Enum, auto

from backstory.records.checkpoint import Stamp


class Step(Enum):
    """What one file needs."""

    NOTHING = auto()
    APPEND = auto()  # read what follows the checkpoint
    RECONCILE = auto()  # read everything, keep the rows that did not change
    EXTRACT = auto()  # read everything, write every row again: the extraction rules changed


def decide(stored: Stamp, now: Stamp, *, same_rules: bool, document: bool) -> Step:
    """The step for a known file whose stamp was `stored` and is `now`."""
    if not same_rules:
        return Step.EXTRACT
    if stored == now:
        return Step.NOTHING
    # Of a torn frame more may be read once what was behind it is gone.
    if document or now.inode != stored.inode or now.size < stored.size:
        return Step.RECONCILE
    return Step.APPEND if now.size > stored.size else Step.RECONCILE
