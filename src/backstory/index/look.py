"""Compares what lies on disk with what the index knows, from stamps alone: opens no file, decodes nothing.

This is all that a search does when nothing changed, so it imports next to nothing. What has to be read is left to
`index.sync`.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from backstory.index.version import VERSION
from backstory.sources.discover import Candidate, Place, Unreadable, walk
from backstory.store import copies, sessions
from backstory.store.history import History


class SourceReport(msgspec.Struct):
    """What one pass did for one source; `sessions` and `bytes` count everything found, the rest what was read."""

    name: str
    sessions: int = 0
    entries: int = 0
    malformed: int = 0
    unchanged: int = 0
    bytes: int = 0
    seconds: float = 0.0


class Report(msgspec.Struct):
    """The result of a pass; `partial` says that a deadline left something for the next one."""

    sources: dict[str, SourceReport] = {}
    problems: list[Unreadable] = []
    missing: int = 0
    partial: bool = False

    def source(self, name: str) -> SourceReport:
        """The row of one source, made when first asked for."""
        return self.sources.get(name) or self.sources.setdefault(name, SourceReport(name))


class Seen(msgspec.Struct):
    """What a look found: files to read, oldest first, each with its place and what is known of it.

    `dropped` are files whose sessions are to be forgotten: that was cut short, or a pass took them in meanwhile.
    """

    report: Report
    work: list[tuple[Candidate, Place, sessions.SeenFile | None]]
    dropped: list[str] = []

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do."""
        return not self.work and not self.dropped


def look(
    history: History, places: Sequence[Place], suffixes: tuple[str, ...], forgotten: frozenset[str] = frozenset()
) -> Seen:
    """Finds what changed below `places`; sessions that vanished from a readable place become missing.

    Files named in `forgotten` are passed by.
    """
    with history.read():
        known = sessions.known_files(history)
    seen = Seen(Report(), [])
    paths: set[str] = set()
    folders: set[str] = set()
    for place in places:
        for found in walk(place, suffixes, folders):
            if isinstance(found, Unreadable):
                seen.report.problems.append(found)
            elif found.path not in paths and found.path not in forgotten:
                paths.add(found.path)
                before = known.get(found.path)
                if not _unchanged(seen.report, before, found):
                    seen.work.append((found, place, before))
    seen.dropped = sorted(path for path in forgotten if path in known and known[path].source)
    # Of files that a source which is not installed now had read nobody can say whether they are there.
    sought = {path: file for path, file in known.items() if path.endswith(suffixes)}
    _mark_missing(history, seen.report, sought, paths | forgotten, places)
    seen.work.sort(key=lambda item: (item[0].stamp.mtime_ns, item[0].path))
    return seen


def _unchanged(report: Report, known: sessions.SeenFile | None, found: Candidate) -> bool:
    if known is None or known.stamp != found.stamp or known.extraction != VERSION:
        return False
    if known.source is None:
        return True
    if known.missing:
        return False
    row = report.source(known.source)
    row.sessions += 1
    row.unchanged += 1
    row.bytes += found.stamp.size
    return True


def _mark_missing(
    history: History, report: Report, known: Mapping[str, sessions.SeenFile], paths: set[str], places: Sequence[Place]
) -> None:
    closed = [problem.path for problem in report.problems]
    gone = [
        path
        for path, file in known.items()
        if file.source
        and not file.missing
        and path not in paths
        and under(path, [place.path for place in places])
        and not under(path, closed)
    ]
    if gone:
        with history.write("mark missing"):
            copies.set_missing(history, gone, missing=True)
        report.missing = len(gone)


def under(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of some folders, or lies below one."""
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)
