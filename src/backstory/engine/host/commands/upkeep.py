"""`/context health`, `storage` and `rebuild-index`: the state of what is stored, and reading a session anew."""

from contextlib import suppress
from pathlib import Path

from backstory.engine.host.commands.about import About, told
from backstory.engine.host.commands.line import TypedWord
from backstory.engine.project import access, bounds
from backstory.engine.upkeep.health import health as health_report
from backstory.engine.upkeep.storage import storage as storage_report
from backstory.errors import ProjectError, UsageError
from backstory.index.reconcile import PlacedLog, reconcile
from backstory.records.host import Say
from backstory.records.upkeep import HealthRequest, StorageRequest
from backstory.sources import registry
from backstory.store import copies, sessions
from backstory.text.charts import bar, table
from backstory.text.wording import counted, size

_MARKS = {"ok": "ok", "warn": "!", "fail": "FAILED"}


def health(about: About, _typed: list[TypedWord]) -> Say:
    """One line a check; a warning about size says nothing against soundness."""
    report = health_report(about.engine, HealthRequest())
    rows = [(_MARKS[check.status], check.name, check.detail) for check in report.checks]
    end = "The index is sound." if report.ok else "The index is damaged; `backstory rebuild` makes a new one."
    level = {"ok": "info", "warn": "warning"}.get(report.status, "error")
    return told(["Health", *table(rows), "", end], {"status": report.status, "sound": report.ok}, level)


def storage(about: About, _typed: list[TypedWord]) -> Say:
    """Sizes and counts."""
    report = storage_report(about.engine, StorageRequest())
    whole = sum(one.bytes for one in report.tables) or 1
    rows = [
        ("folder", report.home),
        ("database", f"{size(report.database)}, {report.free_pages:,} of {report.pages:,} pages free"),
        ("write-ahead log", size(report.wal)),
        ("sessions", f"{report.sessions:,}, of which {report.missing:,} without their file"),
        ("entries", f"{report.entries:,}, of which {report.searchable:,} searchable"),
    ]
    rows += [(one.name, f"{one.count:,}" + (f" ({size(one.bytes)})" if one.bytes else "")) for one in report.kept]
    largest = [(bar(one.bytes, whole), size(one.bytes), one.name) for one in report.tables[:8]]
    lines = ["Storage", *table(rows), "", "The largest tables", *table(largest, right=(1,))]
    return told(lines, {"database": report.database, "sessions": report.sessions, "entries": report.entries})


def rebuild(about: About, _typed: list[TypedWord]) -> Say:
    """Read the session's log and, when it is trusted, its project whole, whatever the index believes."""
    path = about.call.file or about.session.context.row.path
    entries, damaged = _session(about, path)
    lines = [f"Read this session anew: {counted(entries, 'entry')}, {counted(damaged, 'damaged record')} skipped."]
    lines += _project(about) if about.call.trusted else ["The project was not read: the folder is not trusted."]
    return told(lines, {"entries": entries, "malformed": damaged})


def _session(about: About, path: str) -> tuple[int, int]:
    history = about.engine.history
    with history.write("read a session anew"):
        known = sessions.by_path(history, path)
        if known is not None:
            sessions.distrust(history, known.key)
        file = PlacedLog(registry.load(about.call.source), path, sessions.root(history, about.call.source, path))
        outcome = reconcile(history, file, lambda: False)
        copies.mark(history, dict.fromkeys((outcome.key, *outcome.touched), 0))
        stored = sessions.by_path(history, path)
    if stored is None:
        raise UsageError(f"{path} holds no session")
    return stored.entries, stored.malformed


def _project(about: About) -> list[str]:
    with suppress(ProjectError):
        root = access.locate(about.engine.home, Path(about.call.cwd), exact=True)
        report = access.index(bounds.opened(about.engine, root, trusted=True), force=True)
        told_ = [f"Read the project anew: {counted(report.files, 'file')}, {report.indexed:,} indexed again."]
        return [*told_, *(f"! {warning}" for warning in report.warnings[:5])]
    return ["The folder cannot be a project; nothing of it was read."]
