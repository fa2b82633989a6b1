"""Keeps the bytes of large tool results by their hash: `derived/artifacts/<first two hex>/<sha256>`, mode 0600.

Bytes are redacted before they come here. An object is written whole or not at all, never twice, and read only after its
hash was checked. Everything here can be made again from the logs; objects that nothing refers to may be removed.
Neighbour: `store.artifacts` says what they are of.
"""

import errno
import os
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from backstory.config.paths import open_file
from backstory.errors import CorruptDatabaseError, FullDiskError, ReadOnlyDatabaseError
from backstory.store.folder import opening, unmoved

FOLDER = "artifacts"
REMADE = "backstory artifact verify --repair makes it again from its log"


class Objects:
    """The objects below a derived folder."""

    def __init__(self, derived: str) -> None:
        self.root = Path(derived, FOLDER)

    def path(self, digest: str) -> Path:
        """Where the object of a hash lies."""
        return self.root / digest[:2] / digest

    def put(self, data: bytes) -> str:
        """Keep bytes; gives their hash. A damaged object of the same hash is replaced.

        Raises:
            ReadOnlyDatabaseError, FullDiskError: they cannot be kept.
        """
        digest = sha256(data).hexdigest()
        path = self.path(digest)
        if self.state(digest) == "ok" and _renewed(path):
            return digest
        try:
            with opening(str(self.root)):
                self._write(path, data)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise FullDiskError(f"{path}: no space left") from error
            raise ReadOnlyDatabaseError(f"{path}: {error.strerror}") from error
        return digest

    def _write(self, path: Path, data: bytes) -> None:
        for folder in (self.root, path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # One that a killed process of the same number left is written over.
        draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def get(self, digest: str) -> bytes:
        """The bytes of a hash.

        Raises:
            CorruptDatabaseError: there are none, or they are not what was kept.
        """
        try:
            data = self._read(digest)
        except OSError as error:
            raise CorruptDatabaseError(f"the artifact {digest} is missing", advice=REMADE) from error
        if sha256(data).hexdigest() != digest:
            raise CorruptDatabaseError(f"the artifact {digest} is damaged", advice=REMADE)
        return data

    def state(self, digest: str) -> str:
        """ok, missing or corrupt."""
        try:
            data = self._read(digest)
        except OSError:
            return "missing"
        return "ok" if sha256(data).hexdigest() == digest else "corrupt"

    def _read(self, digest: str) -> bytes:
        with unmoved(str(self.root)), open_file(self.path(digest)) as file:
            return file.read()

    def digests(self) -> Iterator[str]:
        """The hashes of all objects, by name; folders that go meanwhile hold none."""
        names = (name for _, _, files in os.walk(self.root) for name in files)
        return iter(sorted(name for name in names if len(name) == 64))

    def collect(self, wanted: Container[str], before: float) -> int:
        """Remove objects that nothing refers to and that were kept before a Unix time; gives how many went.

        Younger ones may be noted at any moment by who keeps them.

        Raises:
            ReadOnlyDatabaseError: one cannot be removed.
        """
        old = [digest for digest in self.digests() if digest not in wanted and older(self.path(digest), before)]
        return self.remove(old, before)

    def remove(self, digests: Iterable[str], before: float) -> int:
        """Remove objects, but for those that were kept again since a Unix time; gives how many went.

        Raises:
            ReadOnlyDatabaseError: one cannot be removed.
        """
        return sum(_removed(self.path(digest), before) for digest in digests)


def older(path: Path, time: float) -> bool:
    """Whether a file was kept last before a Unix time, or is gone."""
    try:
        return path.stat().st_mtime < time
    except OSError:
        return True


def _removed(path: Path, before: float) -> bool:
    """Removes an object unless it is being kept again: who does renews its time, or misses it and writes it anew."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ReadOnlyDatabaseError(f"{path}: {error.strerror}") from error
    if not older(aside, before):
        aside.replace(path)
        return False
    aside.unlink(missing_ok=True)
    return True


def _renewed(path: Path) -> bool:
    """Marks an object as kept now, so that nobody collects it before it is noted; false when it is gone."""
    with suppress(OSError):
        os.utime(path)
    return os.path.exists(path)
