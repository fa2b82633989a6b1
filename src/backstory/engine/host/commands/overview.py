"""`/context status`, `adapter` and `help`: the short answers."""

from backstory.engine import summaries
from backstory.engine.context import Context
from backstory.engine.host.commands.about import About, indexed, told
from backstory.engine.host.commands.line import TypedWord
from backstory.engine.host.commands.table import listing
from backstory.engine.memory.concerning import concerning
from backstory.errors import DatabaseError, UnknownSessionError
from backstory.records.host import Say
from backstory.records.session import Kind
from backstory.text.calls import mode_words
from backstory.text.charts import bar, table
from backstory.text.summaries import overall
from backstory.text.wording import counted, when

_MODES = {
    "active": "every call is planned",
    "observe": "calls are only recorded, nothing is changed",
    "off": "switched off",
}
_JOBS = {
    "load": "making ready",
    "ahead": "planning ahead",
    "session": "reading what the session wrote",
    "project": "indexing the project",
    "files": "reading files that changed",
    "manifest": "keeping the record of a call",
}


def usage(_about: About, _typed: list[TypedWord]) -> Say:
    """The table of commands."""
    return told(["What Backstory can tell you here:", "", *listing()])


def status(about: About, _typed: list[TypedWord]) -> Say:
    """The session, its newest call, what is kept, and what is switched on, a line each."""
    config = about.settings.config
    rows = [("mode", _mode(about))]
    rows += _session(about)
    rows += _last_call(about)
    rows += _kept(about)
    rows += [
        ("project", _project(about)),
        ("privacy", "checked before every call" if config.privacy.enabled else "not switched on"),
        *(("settings", f"! {warning}") for warning in about.settings.warnings[:3]),
        *(("failed", f"! {_JOBS.get(kind, kind)}: {why}") for kind, why in about.engine.failed.items()),
    ]
    head = "What Backstory knows of this session" if about.shell else "Backstory in this session"
    return told([head, *table(rows)], {"mode": config.mode, "session": about.name})


def adapter(about: About, _typed: list[TypedWord]) -> Say:
    """What the host offers, and what of Backstory works with it."""
    call, config = about.call, about.settings.config
    persistent = call.file is not None and not call.ephemeral
    writes = persistent and config.mode == "active"
    model = f"{call.model.provider}/{call.model.id}" if call.model is not None else "none"
    offered = [
        ("agent", call.source),
        ("way it runs", call.mode),
        ("session log", call.file or "none: the session is in memory only"),
        ("model", model),
        ("can ask a person", _yes(is_so=call.ui)),
        ("folder", f"{call.cwd}{' (trusted)' if call.trusted else ' (not trusted)'}"),
    ]
    works = [
        ("planning of calls", _works(config.mode == "active", "mode is not active")),
        ("records of calls", _works(config.manifests.store and not call.ephemeral, "not kept for this session")),
        ("looking into earlier parts", _works(config.tools.history and persistent, "no log, or switched off")),
        ("pins and memory by command", _works(writes, "the session has no log, or mode is not active")),
        (
            "pins and memory by the model",
            _works(writes and call.ui and config.tools.persistence, "nobody can be asked, or switched off"),
        ),
        ("project source", _works(call.trusted and config.project.enabled, "the folder is not trusted")),
    ]
    data = {"source": call.source, "mode": call.mode, "ui": call.ui, "trusted": call.trusted, "persistent": persistent}
    head = "Asked outside of the agent, so this is what its log tells" if about.shell else "What the agent offers"
    return told([head, *table(offered), "", "What works with it", *table(works)], data)


def _mode(about: About) -> str:
    words = _MODES[about.settings.config.mode]
    if about.shell:
        return f"{words} where the agent runs with Backstory inside"
    return f"{words}; nothing of this session is kept" if about.call.ephemeral else words


def _session(about: About) -> list[tuple[str, str]]:
    try:
        given = about.session.context
    except UnknownSessionError:
        return [("session", f"{about.name}, nothing on disk yet")]
    seen = f"{counted(len(given.branch), 'entry')} on this branch, {counted(len(given.items), 'message')} in view"
    rows = [("session", f"{given.session}, {counted(given.row.entries, 'entry')}"), ("", seen)]
    rows += _summaries(given)
    return [*rows, ("", f"{counted(given.row.malformed, 'damaged record')} skipped")] if given.row.malformed else rows


def _summaries(given: Context) -> list[tuple[str, str]]:
    """How many summaries are on the branch, and what the log tells of where they come from."""
    entries = given.transcript.entries
    placed = [entries[at] for at in given.transcript.reached.positions if entries[at].kind == Kind.SUMMARY]
    if not placed:
        return []
    known = overall(list(summaries.details(given.row.source, given.row.path, placed).values()))
    return [("", f"{counted(len(placed), 'summary')}{f' ({known})' if known else ''}")]


def _last_call(about: About) -> list[tuple[str, str]]:
    newest = about.manifests(1)
    if not newest:
        return [("last call", "none planned yet")]
    made = newest[0]
    hard = made.budget.hard
    used = f"{bar(made.estimated_input, hard)} {made.estimated_input:,} of {hard:,} tokens"
    rows = [("last call", used), ("", f"{mode_words(made.planning.mode).told}, {when(made.created)} UTC")]
    if made.usage is not None:
        rows.append(("", f"the provider counted {made.usage.prompt:,}"))
    return rows


def _kept(about: About) -> list[tuple[str, str]]:
    try:
        state = about.session.kept()
    except UnknownSessionError:
        return []
    given = about.session.context
    pins = concerning(given, state.pins, everything=False)
    memories = concerning(given, state.memories, everything=False)
    rows = [("kept", f"{counted(len(pins), 'pin')}, {counted(len(memories), 'memory')}")]
    return [*rows, ("", f"{counted(len(state.warnings), 'record')} did not count")] if state.warnings else rows


def _project(about: About) -> str:
    if not about.call.trusted:
        return "not read: the folder is not trusted"
    try:
        report = indexed(about)
    except DatabaseError as error:
        return f"! {error.helpful}"
    return f"{counted(report.files, 'file')} indexed" if report and report.indexed else "trusted, not indexed yet"


def _works(works: bool, why: str) -> str:  # noqa: FBT001 - a condition and what it means when it does not hold
    return "yes" if works else f"no: {why}"


def _yes(*, is_so: bool) -> str:
    return "yes" if is_so else "no"
