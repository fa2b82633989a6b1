"""Writes a proposal where it belongs: by the host into its own log, or for other agents into our ledger.

A host appends by its own means and tells how that went. Only when the index then shows the change is it called written.
An append that ended in an error may have happened; it is never repeated here, and the same change proposed again is
made under the same ids, so that even two entries in the log count once.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from backstory.engine.host import hosted
from backstory.engine.host.hosted import Hosted
from backstory.engine.memory import commands, proposals
from backstory.engine.memory.proposals import Proposal
from backstory.errors import BackstoryError
from backstory.records.base import Record
from backstory.records.host import Append, Appended, HostCall, NewEntry, Step
from backstory.records.memory import PIN_TYPE, Fold, Kept
from backstory.records.mutation import Ended
from backstory.text import hashing

COMMAND_LINE = "command-line"
LOGS = frozenset(("pi",))
_OF_ITS_TIME = frozenset(("id", "createdAt", "sourceEntryId", "sourceEntryIds", "branchLeafId"))


class Written(Record, frozen=True):
    """How a write ended: committed, pending (appended, and the index does not show it yet), moved or indeterminate.

    `item` is what is kept now, None unless committed.
    """

    outcome: str
    item: Kept | None = None


def by_host(call: HostCall) -> bool:
    """Whether the host itself keeps what is written, in a log that belongs to it alone while it runs."""
    return call.source in LOGS and call.mode != COMMAND_LINE


def write(about: Hosted, proposal: Proposal, then: Callable[[HostCall, Written], Step]) -> Step:
    """Write a proposal and go on with how that ended; a host is asked to append, once.

    Raises:
        DatabaseError: the ledger cannot be written.
    """
    engine, call = about.engine, about.call
    if not by_host(call):
        commands.append(engine, about.context, proposal)
        return then(call, Written("committed", item(about.kept(), proposal)))
    name = fingerprint(about.name, proposal)
    data = engine.pending.doubtful.get(name) or proposals.payload(engine, proposal)
    engine.pending.doubt(name, data)
    made = proposal.id if "item" not in data else str(data["item"]["id"])

    def ended(answer: Appended) -> Step:
        written = _ended(about, Proposal(proposal.type, made, proposal.change, proposal.target), answer)
        if written.outcome in {"committed", "moved"}:
            engine.pending.doubtful.pop(name, None)
        return then(answer.call, written)

    token = engine.pending.ask(call, Appended, ended, engine.now())
    return Append(token, (NewEntry(proposal.type, data),), call.leaf)


def fingerprint(session: str, proposal: Proposal) -> str:
    """What names a change: the same change proposed twice in a session has one name, whatever it is said to rest on."""
    change = msgspec.to_builtins(proposal.change)
    made = {key: value for key, value in change.pop("item", {}).items() if key not in _OF_ITS_TIME}
    return hashing.of_value([session, proposal.type, change, made])


def in_doubt(about: Hosted, proposal: Proposal) -> dict[str, Any] | None:
    """The data of an earlier attempt at the same change of which nobody knows whether it was written."""
    return about.engine.pending.doubtful.get(fingerprint(about.name, proposal))


def item(state: Fold, proposal: Proposal) -> Kept | None:
    """What a proposal made or ended, once the change is to be seen in the state."""
    items = state.pins if proposal.type == PIN_TYPE else state.memories
    kept = next((kept for kept in items if kept.id == proposal.id), None)
    status = proposal.change.status if isinstance(proposal.change, Ended) else None
    return kept if kept is not None and (status is None or kept.status == status) else None


def _ended(about: Hosted, proposal: Proposal, answer: Appended) -> Written:
    if answer.problem == "moved" and not answer.entry_ids:
        return Written("moved")
    if answer.problem is not None or len(answer.entry_ids) != 1:
        return Written("indeterminate")
    try:
        now = hosted.hosted(about.engine, answer.call, about.settings)
        found = item(now.kept(), proposal)
    except BackstoryError:
        return Written("pending")
    return Written("committed", found) if found is not None else Written("pending")
