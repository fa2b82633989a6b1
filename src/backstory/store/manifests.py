"""Stores the manifests of planned calls, what providers counted for them, and the samples calibration learns from.

The newest manifests stay, 128 unless told otherwise; each write removes at most 32 older ones and 8 MiB. Of samples the
newest 200 of every profile stay, whatever becomes of their manifests.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from backstory.records.budget import Sample, Usage
from backstory.records.manifest import Manifest, Trace
from backstory.records.planning import ManifestRow
from backstory.store.history import History
from backstory.store.statements import array, load, past
from backstory.text import canonical

SQL = load("manifests")
KEPT, PRUNED, PRUNED_BYTES = 128, 32, 8 * 1024 * 1024
SAMPLES = 200
# Of each manifest, by id: the hash of its document, and what its provider counted.
Carried = dict[str, tuple[object, ...]]


def save(
    history: History, manifest: Manifest, keep: int = KEPT, samples: Sequence[tuple[str, str, Sample]] = ()
) -> None:
    """Stores a bounded manifest and prunes older ones, in one transaction.

    With it samples that a log holds, each as its profile, the name it is known by, and itself.
    """
    document = canonical.encode(manifest)
    model = f"{manifest.provider}/{manifest.model}"
    row = (manifest.session, manifest.created, manifest.planning.mode, model, manifest.estimated_input)
    with history.write("save a manifest"):
        history.db.execute(SQL.insert, (manifest.id, *row, len(document), document))
        for profile, name, sample in samples:
            _sample(history, profile, name, sample)
        _prune(history, keep)


def amend(history: History, manifest: Manifest) -> None:
    """Stores another version of a manifest that is there; what its provider counted stays as it is."""
    document = canonical.encode(msgspec.structs.replace(manifest, usage=None))
    with history.write("amend a manifest"):
        history.db.execute(SQL.amend, (len(document), document, manifest.id))


def _prune(history: History, keep: int) -> None:
    size = 0
    for number, bytes_ in list(history.rows(SQL.oldest, (PRUNED, keep))):
        if size and size + bytes_ > PRUNED_BYTES:
            break
        history.db.execute(SQL.delete, (number,))
        size += bytes_


def get(history: History, id_: str) -> Manifest | None:
    """The manifest of an id, None when there is none."""
    return next(map(_read, history.rows(SQL.get, (id_,))), None)


def begun(history: History, name: str, most: int) -> list[str]:
    """The first ids of manifests that begin so, in order."""
    return [id_ for (id_,) in history.rows(SQL.begun, {"name": name, "after": past(name), "most": most})]


def trace(history: History, id_: str) -> Trace | None:
    """What the next call needs to know of a call, None when it is not there any more."""
    return _trace(history, SQL.get, id_)


def newest(history: History, session: str) -> Trace | None:
    """What the next call needs to know of the newest call of a session."""
    return _trace(history, SQL.latest, session)


def _trace(history: History, sql: str, name: str) -> Trace | None:
    rows = list(history.rows(sql, (name,)))
    return msgspec.json.decode(rows[0][0], type=Trace) if rows else None


def latest(history: History, session: str) -> Manifest | None:
    """The manifest of the newest call of a session; a past one that was planned again is none."""
    rows = list(history.rows(SQL.latest, (session,)))
    return _read(rows[0]) if rows else None


def listed(history: History, session: str | None, limit: int) -> list[ManifestRow]:
    """Manifests, the newest first."""
    return [ManifestRow(*row) for row in history.rows(SQL.list, {"session": session, "limit": limit})]


def sessions(history: History) -> set[str]:
    """The sessions, as source:id, that have manifests."""
    return {session for (session,) in history.rows(SQL.sessions)}


def calls(history: History, session: str, limit: int) -> list[ManifestRow]:
    """Those of calls of a session, the newest first, without past ones planned again."""
    return [ManifestRow(*row) for row in history.rows(SQL.calls, (session, limit))]


def answered(history: History, manifest: Manifest, usage: Usage, profile: str, time: int) -> bool:
    """Notes what a provider counted for a call, and a sample from it; false when it was noted before."""
    with history.write("note the usage of a call"):
        history.db.execute(SQL.usage, (usage.input, usage.cache_read, usage.cache_write, usage.output, manifest.id))
        if not history.db.changes():
            return False
        if manifest.estimated_input > 0 and usage.prompt > 0 and not manifest.observed:
            counted = (usage.input, usage.cache_read, usage.cache_write, time)
            _sample(history, profile, manifest.id, Sample(manifest.estimated_input, *counted))
    return True


def sizes(history: History) -> tuple[tuple[int, int], int]:
    """How many manifests there are and their bytes; how many samples."""
    [(count, size, samples_)] = history.rows(SQL.sizes)
    return (count, size), samples_


def carry(before: History, after: History, known: Carried | None = None) -> Carried:
    """Copies the manifests and samples that another database lacks into it; no log could give them again.

    Gives what was copied; with that of an earlier copying, what changed since in manifests that are there follows.
    """
    carried: Carried = {}
    with after.write("carry manifests over"):
        for row in before.rows(SQL.all_manifests):
            id_, *_, size, document, input_, cache_read, cache_write, output = row
            usage = (input_, cache_read, cache_write, output)
            carried[id_] = (sha256(document).digest(), *usage)
            after.db.execute(SQL.put_manifest, row)
            if known and known.get(id_, carried[id_]) != carried[id_]:
                after.db.execute(SQL.follow, (size, document, *usage, id_))
        after.db.executemany(SQL.put_sample, before.rows(SQL.all_samples))
    return carried


def reported(history: History, session: str) -> bool:
    """Whether a host has told what providers counted for calls of this session that were made as they were planned."""
    return any(True for _ in history.rows(SQL.reported, (session,)))


def known(history: History, names: Sequence[str]) -> frozenset[str]:
    """Those of these samples that are stored."""
    return frozenset(name for (name,) in history.rows(SQL.known, (array(names),))) if names else frozenset()


def samples(history: History, profile: str, window: int) -> list[Sample]:
    """The newest samples of a profile, newest first."""
    return [Sample(*row) for row in history.rows(SQL.samples, (profile, window))]


def _sample(history: History, profile: str, name: str, sample: Sample) -> None:
    values = (sample.estimated, sample.input, sample.cache_read, sample.cache_write, sample.time)
    history.db.execute(SQL.sample, (profile, name, *values))
    history.db.execute(SQL.prune_samples, {"profile": profile, "most": PRUNED, "kept": SAMPLES})


def _read(row: Sequence[Any]) -> Manifest:
    document, input_, cache_read, cache_write, output = row
    manifest = msgspec.json.decode(document, type=Manifest)
    if input_ is None:
        return manifest
    usage = Usage(input_, cache_read or 0, cache_write or 0, output or 0)
    return msgspec.structs.replace(manifest, usage=usage)
