"""Reads what a look at the disk found new or changed, and brings the history up to date with it.

Each write transaction holds whole sessions only; small ones share one (see docs/decisions/0007-transactions.md), so
that a full index does not spend its time merging tiny index segments. A failing session is reported and costs nobody
else anything. Several processes may do this at once: every decision is taken again under the write lock.
"""

from collections.abc import Callable, Iterator, Sequence

from backstory.errors import BackstoryError, CancelledError, IndexFailedError, SourceError, UnreadableSourceError
from backstory.index.look import Report, Seen
from backstory.index.reconcile import Outcome, PlacedLog, reconcile
from backstory.index.version import VERSION
from backstory.sources.base import Source
from backstory.sources.discover import Candidate, Place, Unreadable
from backstory.sources.prints import stamp
from backstory.sources.recognise import recognise
from backstory.store import browse, copies, entries, sessions
from backstory.store.filling import Filling
from backstory.store.history import History

Work = tuple[Candidate, Place, sessions.SeenFile | None]
# The paths and the (source, id) of sessions that are not taken in again.
Forgotten = tuple[frozenset[str], frozenset[tuple[str, str]]]

GROUP_BYTES = 48 << 20
GROUP_FILES = 256
# A pass that read so many entries ends with joining what its transactions left in the indexes: a hundredth more work.
FILL = 8_192


def nothing() -> Forgotten:
    """No session was forgotten."""
    return frozenset(), frozenset()


class Sync:
    """Reads the files of one look.

    `sources` are all that may recognise a file. `late` says that time is up; it may also raise CancelledError, which
    then ends the pass once what was read is kept: all but a session that was just begun.
    `progress` is told (files done, files, bytes done, bytes). `clock` counts seconds. `forgotten` tells which sessions
    are not taken in again, wherever their files turn up.
    """

    def __init__(
        self,
        history: History,
        sources: Sequence[Source],
        *,
        late: Callable[[], bool] = lambda: False,
        progress: Callable[[int, int, int, int], None] = lambda *_: None,
        clock: Callable[[], float] = lambda: 0.0,
        forgotten: Callable[[], Forgotten] = nothing,
    ) -> None:
        self._history = history
        self._sources = sources
        self._late = late
        self._progress = progress
        self._clock = clock
        self._forgotten = forgotten
        self._names: frozenset[tuple[str, str]] = frozenset()
        self._roots: dict[Place, int] = {}
        self._cancelled: CancelledError | None = None
        self._renewed = False  # whether any session was read again because rules changed

    def run(self, seen: Seen) -> Report:
        """Reads everything that the look found, or as much as time allows, and completes its report.

        Raises:
            CancelledError: the caller gave up.
        """
        self.report = seen.report
        total = sum(candidate.stamp.size for candidate, *_ in seen.work)
        done = done_bytes = 0
        for path in seen.dropped:
            self._drop(path)
        for group in _groups(seen.work):
            if done and self._over():
                self.report.partial = True
                break
            self._group(group)
            if self._cancelled:
                break
            done += len(group)
            done_bytes += sum(candidate.stamp.size for candidate, *_ in group)
            self._progress(done, len(seen.work), done_bytes, total)
        if self._cancelled:
            raise self._cancelled
        if not self.report.partial and self._renewed:
            entries.compact(self._history)
        elif not self.report.partial and sum(row.entries for row in self.report.sources.values()) >= FILL:
            entries.merge(self._history, self._over)
        return self.report

    def _over(self) -> bool:
        """Whether nothing more is to be read, as time is up or the caller gave up."""
        try:
            return self._late()
        except CancelledError as error:
            self._cancelled = error
            return True

    def _drop(self, path: str) -> None:
        with self._history.write("forget session"):
            stored = sessions.by_path(self._history, path)
            if stored is not None:
                browse.forget(self._history, stored.key)

    def _group(self, group: Sequence[Work]) -> None:
        try:
            with self._history.write("index sessions"):
                paths, self._names = self._forgotten()
                self._roots = {}
                filling = Filling(self._history)
                read = list(self._read([one for one in group if one[0].path not in paths], filling))
                start = self._clock()
                filling.write()
                shared = self._clock() - start
                outcomes = [one for one in read if not self._dropped(one[0], one[1])]
                written = [outcome for _, outcome, _ in outcomes]
                copies.mark(self._history, _changed(written), {outcome.key for outcome in written if outcome.fresh})
        except Exception as error:  # whatever readers, of third parties too, may raise
            if _shared(error):
                raise
            if len(group) > 1:
                for one in group:
                    if not self._cancelled:
                        self._group([one])
            elif not isinstance(error.__cause__, FileNotFoundError):  # a file that is gone is marked by the next look
                self.report.problems.append(Unreadable(group[0][0].path, _reason(error)))
            return
        for file, outcome, seconds in outcomes:
            self._count(file, outcome, seconds + shared / len(outcomes))

    def _read(self, group: Sequence[Work], filling: Filling) -> Iterator[tuple[PlacedLog, Outcome, float]]:
        """Reads file after file until time is up; the first one is read in any case, so that every pass gets on."""
        for number, (candidate, place, known) in enumerate(group):
            if number and self._over():
                self.report.partial = True
                return
            if file := self._file(candidate, place, known):
                read = self._timed(file, filling)
                self._renewed |= known is not None and known.source is not None and known.extraction != VERSION
                if self._cancelled and read[0].fresh and not read[0].complete:
                    filling.write()
                    browse.forget(self._history, read[0].key)
                else:
                    yield file, *read

    def _dropped(self, file: PlacedLog, outcome: Outcome) -> bool:
        """Whether a session was forgotten under this id; its file is then passed by until it changes."""
        if (file.source.location.name, outcome.id) not in self._names:
            return False
        browse.forget(self._history, outcome.key)
        sessions.ignore(self._history, file.path, stamp(file.path), VERSION)
        return True

    def _timed(self, file: PlacedLog, filling: Filling) -> tuple[Outcome, float]:
        start = self._clock()
        outcome = reconcile(self._history, file, self._over, filling)
        return outcome, self._clock() - start

    def _file(self, candidate: Candidate, place: Place, before: sessions.SeenFile | None) -> PlacedLog | None:
        ordered = sorted(self._sources, key=lambda source: source.location.name != place.source)
        source = recognise(candidate.path, ordered)
        if source is None:
            sessions.ignore(self._history, candidate.path, candidate.stamp, VERSION)
            if before and before.source and not before.missing:
                copies.set_missing(self._history, [candidate.path], missing=True)
                self.report.missing += 1
            return None
        root = self._roots.get(place) or sessions.root(self._history, place.source, place.path)
        self._roots[place] = root
        return PlacedLog(source, candidate.path, root)

    def _count(self, file: PlacedLog, outcome: Outcome, seconds: float) -> None:
        row = self.report.source(file.source.location.name)
        row.sessions += 1
        row.entries += outcome.entries
        row.malformed += outcome.malformed
        row.bytes += outcome.size
        row.seconds += seconds
        self.report.partial = self.report.partial or not outcome.complete


def _changed(outcomes: Sequence[Outcome]) -> dict[int, int]:
    """From which seq on each session changed; sessions touched by another's new name count as a whole."""
    own = {outcome.key: outcome.first for outcome in outcomes if outcome.first is not None}
    return own | {key: 0 for outcome in outcomes for key in outcome.touched}


def _shared(error: Exception) -> bool:
    """Whether something failed that other sessions need as well, and not the reading or storing of one of them."""
    own = (SourceError, IndexFailedError, ValueError)
    return isinstance(error, (BackstoryError, MemoryError)) and not isinstance(error, own)


def _reason(error: Exception) -> str:
    if isinstance(error, UnreadableSourceError):
        return error.reason
    return str(error) if isinstance(error, SourceError) else f"cannot be indexed ({type(error).__name__})"


def _groups(work: Sequence[Work]) -> Iterator[list[Work]]:
    group: list[Work] = []
    size = 0
    for item in work:
        group.append(item)
        size += item[0].stamp.size
        if size >= GROUP_BYTES or len(group) >= GROUP_FILES:
            yield group
            group, size = [], 0
    if group:
        yield group
