"""The protocol of a write: check, ask the person, check again, append once, see whether it is there.

No yes is remembered: every write has its own question, and a yes counts only for the change that was shown, as long as
it still makes sense. An append of which nobody knows whether it happened is told as that and never tried again here.
"""

from functools import partial

from backstory.engine.host import appending, hosted
from backstory.engine.host.appending import Written
from backstory.engine.host.hosted import Hosted
from backstory.engine.host.persistence import asking, deciding, parameters, proposing, reads, results, revisions
from backstory.engine.host.persistence.facts import KeptFacts
from backstory.engine.host.persistence.parameters import POLICY, READ, Form
from backstory.engine.host.persistence.proposing import ProposedChange
from backstory.engine.host.tools.results import Unavailable
from backstory.errors import BackstoryError
from backstory.records.host import Confirm, Confirmed, HostCall, Say, Step
from backstory.records.memory import Kept
from backstory.records.tools import Persistence

_LOST = {
    "pending": ("committed-projection-pending", "It was written and does not show yet. Do not write it again."),
    "indeterminate": ("append-indeterminate", "It may or may not be in the log. Do not write it again; tell the user."),
    "moved": ("stale-target", "The session moved to another place meanwhile; nothing was written."),
}  # fmt: skip


def act(about: Hosted, arguments: Persistence) -> Step:
    """Carry out an action as far as it goes without an answer.

    Raises:
        Unavailable: it may not be done; see the code.
    """
    form = parameters.check(arguments)
    if form.kind != "pin" and not about.settings.config.memory.enabled:
        raise Unavailable("memory-unavailable", "Memory is switched off in the settings.")
    if form.persistence == READ:
        return _read(about, arguments, form)
    if about.settings.config.mode != "active":
        raise Unavailable("action-unavailable", "This session is only observed, so nothing is written.")
    if not about.call.ui:
        raise Unavailable("confirmation-required", "Nobody can be asked here, so nothing is written.")
    if form.persistence == POLICY:
        return deciding.ask(about, arguments)
    change = proposing.change(about, arguments, form.kind)
    if change.proposal.same is not None:
        return _done(about, arguments, change.proposal.same, duplicate=True)
    token = about.engine.pending.ask(
        about.call, Confirmed, partial(_agreed, about, arguments, change), about.engine.now()
    )
    doubt = appending.in_doubt(about, change.proposal) is not None
    return Confirm(token, asking.TITLE, asking.question(about, arguments, change, doubt=doubt))


def _read(about: Hosted, arguments: Persistence, form: Form) -> Say:
    if form.kind == "source":
        return reads.sources(about, arguments)
    if arguments.action.endswith("_find"):
        return reads.find(about, arguments, form.kind)
    return reads.listing(about, arguments, form.kind)


def _agreed(about: Hosted, arguments: Persistence, asked: ProposedChange, answer: Confirmed) -> Step:
    """Go on after the person has answered: everything that was checked is checked as it is now."""
    if answer.aborted:
        return results.refused(arguments.action, "aborted", "The call was stopped; nothing was written.")
    if not answer.accepted:
        return results.refused(arguments.action, "declined", "The user declined; nothing was written.")
    try:
        now = _now(about, answer.call)
        change = proposing.change(now, arguments, asked.kind)
        if change.proposal.same is not None:
            return _done(now, arguments, change.proposal.same, duplicate=True)
        _same(now, asked, change)
        return appending.write(now, asked.proposal, partial(_written, now, arguments))
    except Unavailable as why:
        return results.refused(arguments.action, why.code, str(why))
    except BackstoryError as error:
        return results.refused(arguments.action, "runtime-unavailable", f"Nothing was written: {error}.")


def _now(about: Hosted, call: HostCall) -> Hosted:
    if call.ephemeral or call.file is None:
        raise Unavailable("runtime-unavailable", "The session has no log any more.")
    if not call.ui:
        raise Unavailable("confirmation-required", "Nobody can be asked any more.")
    now = hosted.hosted(about.engine, call)
    if now.settings.config.mode != "active" or not now.settings.config.tools.persistence:
        raise Unavailable("action-unavailable", "Writing was switched off meanwhile.")
    return now


def _same(now: Hosted, asked: ProposedChange, change: ProposedChange) -> None:
    """Raise unless the change is still the one that was shown."""
    before, after = (appending.fingerprint(now.name, other.proposal) for other in (asked, change))
    if before != after or (asked.evidence, asked.level, asked.scope) != (change.evidence, change.level, change.scope):
        raise Unavailable("stale-target", "Things changed while the user was asked; nothing was written.")


def _written(about: Hosted, arguments: Persistence, call: HostCall, written: Written) -> Say:
    if written.item is None:
        return results.refused(arguments.action, *_LOST[written.outcome])
    try:
        return _done(hosted.hosted(about.engine, call), arguments, written.item)
    except BackstoryError:
        return results.refused(arguments.action, *_LOST["pending"])


def _done(about: Hosted, arguments: Persistence, kept: Kept, *, duplicate: bool = False) -> Say:
    """The answer once an item is what was asked for."""
    revision = revisions.item(about, kept, applies=reads.applies(about, kept))
    state = f"{kept.kind} {kept.id} ({kept.scope}, {kept.status}, {kept.level})"
    return results.wrote(
        arguments.action,
        f"{state} was kept already." if duplicate else f"{state}.",
        KeptFacts(
            id=kept.id, kind=kept.kind, scope=kept.scope, status=kept.status, classification=kept.level,
            target_revision=revision,
        ),
        duplicate=duplicate,
    )  # fmt: skip
