"""Reports on indexing, sources, verification, health and storage."""

from collections.abc import Iterable

from backstory.records.indexing import IndexReport
from backstory.records.problem import Damage
from backstory.records.sources import SourceRow, SourcesReport
from backstory.records.upkeep import Forgotten, HealthReport, StorageReport, StorageRow, Vacuumed, VerifyReport
from backstory.surfaces.cli.terminal import Terminal
from backstory.text import charts
from backstory.text.wording import counted, size

STATUS = {"ok": "green", "warn": "yellow", "fail": "red"}
NOWHERE = "backstory sources says where was looked; backstory index --root AGENT=PATH adds a place."


def indexed(report: IndexReport, terminal: Terminal) -> str:
    """One line a source."""
    lines = []
    for row in report.sources:
        damaged = f", {counted(row.malformed, 'damaged record')} skipped" if row.malformed else ""
        read = counted(row.entries, "new entry") if row.entries else "nothing new"
        about = f"{counted(row.sessions, 'session')} ({size(row.bytes)}): {read}{damaged}"
        lines.append(terminal.hang(f"{row.name:<11}  {about}"))
    lines = lines or [terminal.hang(f"No sessions found. {NOWHERE}")]
    if report.passed:
        passed = f"{counted(report.passed, 'file')} of the place given passed over; backstory sources names them"
        lines.append(terminal.style(terminal.hang(passed), "yellow"))
    if report.missing:
        lines.append(f"{counted(report.missing, 'session')} whose file is gone, still searchable")
    if report.dropped:
        gone = f"of the old index, but found in no place now, and so left out: {counted(report.dropped, 'session')}"
        lines.append(terminal.style(terminal.hang(gone), "yellow"))
    lines.append(terminal.style(f"done in {report.seconds:.2f} s", "dim"))
    return "\n".join(lines) + "\n"


def sources(report: SourcesReport, terminal: Terminal) -> str:
    """One block an agent."""
    lines = [_source(row, terminal) for row in report.sources]
    lines += map(terminal.note, report.warnings)
    lines += skipped(report.damage, terminal)
    lines += _passed_over(report, terminal)
    return "\n".join(lines) + "\n"


def _passed_over(report: SourcesReport, terminal: Terminal) -> Iterable[str]:
    if report.passed:
        yield terminal.style(terminal.hang(f"{counted(report.passed, 'file')} of added places passed over"), "yellow")
        files = [f"  {one.path}  {one.reason}" for one in report.passed_over]
        more = report.passed - len(files)
        yield from map(terminal.hang, [*files, *([f"  … {more:,} more"] if more else [])])


def skipped(damage: Iterable[Damage], terminal: Terminal) -> Iterable[str]:
    """One line for each damaged record, with its place as editors take it."""
    return (terminal.style(terminal.hang(f"skipped {one.path}:{one.line}  {one.reason}"), "yellow") for one in damage)


def _source(row: SourceRow, terminal: Terminal) -> str:
    if not row.supported:
        lines = [terminal.hang(f"{terminal.style(row.title, 'bold')}  {terminal.style(row.note or '', 'yellow')}")]
    else:
        damaged = f", {counted(row.malformed, 'damaged record')}" if row.malformed else ""
        found = f"{counted(row.sessions, 'session')}, {counted(row.entries, 'entry')}, {size(row.bytes)}{damaged}"
        about = found if row.sessions else "nothing found"
        lines = [terminal.hang(f"{terminal.style(row.title, 'bold')} ({row.name})  {about}")]
    for place in row.places:
        state = "" if place.exists else "  (does not exist)"
        added = "  added" if place.kind == "added" else ""
        path = terminal.end(place.path, terminal.width - len(f"  {added}{state}"))
        lines.append(terminal.style(f"  {path}{added}{state}", "dim"))
    return "\n".join(lines)


def verified(report: VerifyReport, terminal: Terminal) -> str:
    """What differs, or that nothing does."""
    differs = terminal.style("differs", "red")
    lines = [
        f"{differs}  {one.source}:{one.session_id} entry #{one.seq}: {one.reason}\n  {one.path}"
        for one in report.differences
    ]
    lines.append(f"{counted(report.sessions, 'session')} ({size(report.bytes)}) read: {len(report.differences)} differ")
    if report.missing:
        lines.append(f"{counted(report.missing, 'session')} whose file is gone: nothing to compare with")
    if report.differences:
        done = counted(report.repaired, "session") + " read again" if report.repaired else "--repair reads them again"
        lines.append(done)
    lines += skipped(report.damage, terminal)
    return "\n".join(lines) + "\n"


def forgotten(report: Forgotten, _terminal: Terminal) -> str:
    """What was dropped."""
    return "\n".join([*(f"forgot {name}" for name in report.sessions), counted(len(report.sessions), "session")]) + "\n"


def health(report: HealthReport, terminal: Terminal) -> str:
    """One line a check."""
    lines = [
        terminal.hang(f"{terminal.style(f'{one.status:<4}', STATUS[one.status])}  {one.name:<11}  {one.detail}")
        for one in report.checks
    ]
    return "\n".join([*lines, terminal.style(f"overall: {report.status}", STATUS[report.status])]) + "\n"


def storage(report: StorageReport, terminal: Terminal) -> str:
    """Sizes and counts."""
    log = f"{size(report.wal)} of write-ahead log"
    facts = [
        ("database", f"{size(report.database)} and {log}, schema {report.schema_version}"),
        ("pages", f"{report.pages:,} of {report.page_size} bytes, {report.free_pages:,} free"),
        ("sessions", f"{report.sessions:,}, of which {report.missing:,} without their file"),
        ("entries", f"{report.entries:,}, of which {report.searchable:,} searchable; {report.malformed:,} damaged"),
        *((one.name, _kept(one)) for one in report.kept if one.count),
    ]
    tables = [(table.name, size(table.bytes)) for table in report.tables[:12]]
    lines = [
        terminal.style(report.home, "bold"),
        *charts.table(facts, indent=0),
        *(["the largest tables of the database"] if tables else []),
        *charts.table(tables, right=(1,)),
    ]
    return "\n".join(map(terminal.hang, lines)) + "\n"


def _kept(one: StorageRow) -> str:
    bound = f" of at most {one.most:,}" if one.most else ""
    return f"{one.count:,}{bound}" + (f" ({size(one.bytes)})" if one.bytes else "")


def vacuumed(answer: Vacuumed, terminal: Terminal) -> str:
    """One line a database, and those that could not be had."""
    lines = [f"{size(one.before):>10} -> {size(one.after):>10}  {one.path}" for one in answer.files]
    lines += [terminal.style(f"{one.path}: {one.reason}", "yellow") for one in answer.problems]
    return "\n".join(map(terminal.hang, lines)) + "\n"
