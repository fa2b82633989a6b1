"""Excludes a session's log from the memory of its project, or lets it count again, after a person agreed.

Such a decision is ours alone: it stands in our ledger and never in a host's log.
"""

from functools import partial

from backstory.engine.host import hosted
from backstory.engine.host.hosted import Hosted
from backstory.engine.host.persistence import asking, reads, results, revisions
from backstory.engine.host.persistence.facts import DecidedFacts
from backstory.engine.host.tools.results import Unavailable
from backstory.engine.memory import sources
from backstory.errors import BackstoryError
from backstory.privacy.persistence import NAME
from backstory.records.host import Confirm, Confirmed, Say, Step
from backstory.records.memory import MemorySource
from backstory.records.memory_requests import MemoryExcludeRequest, MemoryIncludeRequest
from backstory.records.tools import Persistence


def ask(about: Hosted, arguments: Persistence) -> Step:
    """Put the decision to a person.

    Raises:
        Unavailable: there is no such source, it is not in the state that was read, or it is this very session.
    """
    source = _source(about, arguments)
    excludes = arguments.action == "memory_source_exclude"
    if excludes and source.session == about.context.row.session_id:
        raise Unavailable("invalid-scope", "The session that is open cannot be excluded.")
    if (source.status == "excluded") == excludes:
        return _wrote(arguments, source.status, duplicate=True)
    verb = "leave aside what a session keeps" if excludes else "let count again what a session keeps"
    lines = [f"The model {asking.model(about)} asks to {verb} for this project:", "", *asking.quoted(source.session)]
    if isinstance(arguments.reason, str):
        lines += ["", "because:", "", *asking.quoted(arguments.reason)]
    token = about.engine.pending.ask(about.call, Confirmed, partial(_agreed, about, arguments), about.engine.now())
    return Confirm(token, asking.TITLE, "\n".join(lines))


def _agreed(about: Hosted, arguments: Persistence, answer: Confirmed) -> Say:
    if answer.aborted:
        return results.refused(arguments.action, "aborted", "The call was stopped; nothing was decided.")
    if not answer.accepted:
        return results.refused(arguments.action, "declined", "The user declined; nothing was decided.")
    try:
        now = hosted.hosted(about.engine, answer.call)
        source = _source(now, arguments)
        name = f"{now.call.source}:{source.session}"
        if arguments.action == "memory_source_exclude":
            reason = (arguments.reason,) if isinstance(arguments.reason, str) else ()
            sources.exclude(now.engine, MemoryExcludeRequest(session=name, reason=reason))
        else:
            sources.include(now.engine, MemoryIncludeRequest(session=name))
        after = next((log for log in reads.project_sources(now) if log.session == source.session), source)
        return _wrote(arguments, after.status)
    except Unavailable as why:
        return results.refused(arguments.action, why.code, str(why))
    except BackstoryError as error:
        return results.refused(arguments.action, "runtime-unavailable", f"Nothing was decided: {error}.")


def _source(about: Hosted, arguments: Persistence) -> MemorySource:
    known = reads.project_sources(about)
    _, held = about.engine.pending.sources.look(arguments.id, about.engine.now())
    logs = [log for log in known if held == (about.project, log.session)]
    if not logs or not NAME.match(str(arguments.id)):
        raise Unavailable("source-missing", "No source is known under this reference; read memory_sources again.")
    if not revisions.source_holds(about, str(arguments.target_revision), logs[0]):
        raise Unavailable("stale-target", "The source is not in the state that was read; read memory_sources again.")
    return logs[0]


def _wrote(arguments: Persistence, status: str, *, duplicate: bool = False) -> Say:
    facts = DecidedFacts(source_ref=str(arguments.id), kind="project-memory-source", scope="project", status=status)
    text = f"the session's memory of the project is {status} now."
    return results.wrote(arguments.action, text, facts, duplicate=duplicate)
