"""Brings the whole history up to date with what lies on disk: find, compare stamps, reconcile what differs.

Each write transaction holds whole sessions only; small ones share one (see docs/decisions/0007-transactions.md), so
that a full index does not spend its time merging tiny index segments. A failing session is reported and costs nobody
else anything. Several processes may do this at once: every decision is taken again under the write lock.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from backstory.errors import SourceError, UnreadableSourceError
from backstory.index.extract import VERSION
from backstory.index.reconcile import File, Outcome, reconcile
from backstory.sources.base import Source
from backstory.sources.discover import Candidate, Place, Unreadable, recognise, walk
from backstory.store import copies, sessions
from backstory.store.history import History

GROUP_BYTES = 24 << 20
GROUP_FILES = 64


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
        return self.sources.setdefault(name, SourceReport(name))


class Sync:
    """One pass over the given places.

    `sources` is asked for the sources once a file has to be opened. `late` says that time is up; it may also raise
    CancelledError. `progress` is told (files done, files, bytes done, bytes). Files named in `forgotten` are passed by.
    """

    def __init__(
        self,
        history: History,
        sources: Callable[[], Sequence[Source]],
        *,
        late: Callable[[], bool] = lambda: False,
        progress: Callable[[int, int, int, int], None] = lambda *_: None,
        clock: Callable[[], float] = lambda: 0.0,
        forgotten: frozenset[str] = frozenset(),
    ) -> None:
        self._history = history
        self._sources = sources
        self._late = late
        self._progress = progress
        self._clock = clock
        self._forgotten = forgotten
        self.report = Report()

    def run(self, places: Sequence[Place], suffixes: tuple[str, ...]) -> Report:
        """Indexes what changed below `places`; sessions that vanished from a readable place become missing."""
        known = sessions.known_files(self._history)
        work: list[tuple[Candidate, Place]] = []
        seen: set[str] = set()
        for place in places:
            for found in walk(place, suffixes):
                if isinstance(found, Unreadable):
                    self.report.problems.append(found)
                elif found.path not in seen and found.path not in self._forgotten:
                    seen.add(found.path)
                    if not self._unchanged(known.get(found.path), found):
                        work.append((found, place))
        self._mark_missing(known, seen, places)
        work.sort(key=lambda item: (item[0].stamp.mtime_ns, item[0].path))
        changed = self._index(work, known)
        if changed:
            with self._history.write("mark copies"):
                copies.mark(self._history, changed)
        return self.report

    def _unchanged(self, known: sessions.Known | None, found: Candidate) -> bool:
        if known is None or known.stamp != found.stamp:
            return False
        if known.source is None:
            return True
        if known.missing or known.extraction != VERSION:
            return False
        row = self.report.source(known.source)
        row.sessions += 1
        row.unchanged += 1
        row.bytes += found.stamp.size
        return True

    def _mark_missing(self, known: dict[str, sessions.Known], seen: set[str], places: Sequence[Place]) -> None:
        closed = [problem.path for problem in self.report.problems]
        gone = [
            path
            for path, file in known.items()
            if file.source
            and not file.missing
            and path not in seen
            and _below(path, places)
            and not _under(path, closed)
        ]
        if gone:
            with self._history.write("mark missing"):
                sessions.set_missing(self._history, gone, missing=True)
            self.report.missing = len(gone)

    def _index(self, work: list[tuple[Candidate, Place]], known: dict[str, sessions.Known]) -> list[int]:
        total = sum(candidate.stamp.size for candidate, _ in work)
        done = done_bytes = 0
        changed: list[int] = []
        for group in _groups(work):
            if done and self._late():
                self.report.partial = True
                break
            changed += self._group(group, known)
            done += len(group)
            done_bytes += sum(candidate.stamp.size for candidate, _ in group)
            self._progress(done, len(work), done_bytes, total)
        return changed

    def _group(self, group: Sequence[tuple[Candidate, Place]], known: dict[str, sessions.Known]) -> list[int]:
        try:
            with self._history.write("index sessions"):
                files = [file for candidate, place in group if (file := self._file(candidate, place, known))]
                outcomes = [(file, *self._timed(file)) for file in files]
        except SourceError as error:
            if len(group) > 1:
                return [key for one in group for key in self._group([one], known)]
            self.report.problems.append(Unreadable(group[0][0].path, _reason(error)))
            return []
        for file, outcome, seconds in outcomes:
            self._count(file, outcome, seconds)
        return [outcome.key for _, outcome, _ in outcomes]

    def _timed(self, file: File) -> tuple[Outcome, float]:
        start = self._clock()
        outcome = reconcile(self._history, file, self._late)
        return outcome, self._clock() - start

    def _file(self, candidate: Candidate, place: Place, known: dict[str, sessions.Known]) -> File | None:
        before = known.get(candidate.path)
        preferred = (before and before.source) or place.source
        ordered = sorted(self._sources(), key=lambda source: source.location.name != preferred)
        source = recognise(candidate.path, ordered)
        if source is None and before and before.source:
            source = next((one for one in ordered if one.location.name == before.source), None)
        if source is None:
            sessions.ignore(self._history, candidate.path, candidate.stamp)
            return None
        return File(source, candidate.path, sessions.root(self._history, place.source, place.path))

    def _count(self, file: File, outcome: Outcome, seconds: float) -> None:
        row = self.report.source(file.source.location.name)
        row.sessions += 1
        row.entries += outcome.entries
        row.malformed += outcome.malformed
        row.bytes += outcome.size
        row.seconds += seconds
        self.report.partial = self.report.partial or not outcome.complete


def _reason(error: SourceError) -> str:
    return error.reason if isinstance(error, UnreadableSourceError) else str(error)


def _groups(work: Sequence[tuple[Candidate, Place]]) -> Iterator[list[tuple[Candidate, Place]]]:
    group: list[tuple[Candidate, Place]] = []
    size = 0
    for item in work:
        group.append(item)
        size += item[0].stamp.size
        if size >= GROUP_BYTES or len(group) >= GROUP_FILES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _below(path: str, places: Iterable[Place]) -> bool:
    return any(path == place.path or path.startswith(place.path.rstrip("/") + "/") for place in places)


def _under(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)
