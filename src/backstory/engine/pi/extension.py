"""Puts the extension into a folder that Pi loads from, and takes it out: a few files, and a note of what they are.

The note (`backstory.json`) holds the interpreter to start, the model's tools, and the hash of every file as it was
written, so that what is not ours, or was changed by hand, is told and left alone.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from os.path import expanduser
from pathlib import Path
from typing import Any

import msgspec

import backstory
from backstory.config.paths import pi_folder
from backstory.engine.host.host import GUARD
from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.engine.pi.packages import named
from backstory.errors import UsageError
from backstory.records.extension import Installed, InstallRequest, PiStatus, PiStatusRequest, PlaceRow, UninstallRequest

SHIPPED = Path(backstory.__file__).parent / "hosts" / "pi"
# Pi begins with index.ts, so what that needs is written before it.
FILES = ("sidecar.ts", "lining.ts", "edits.ts", "index.ts", "package.json")
NOTE = "backstory.json"
NAME = "backstory"


class InstallNote(msgspec.Struct):
    """What lies beside an installed extension and tells it what to start."""

    python: str
    version: str
    guard: str
    tools: list[Any]
    files: dict[str, str]


def install(engine: Engine, request: InstallRequest) -> Installed:
    """Writes the extension's files where they are missing or older.

    Raises:
        UsageError: files lie there that are not ours or were changed by hand, or the folder cannot be written.
    """
    folder = _folder(engine, project=request.project, chosen=request.folder)
    before = _note(folder)
    if not request.force:
        _refuse_strange(folder, before)
    wanted = _contents(engine, tools=not request.no_tools)
    names = tuple(tool["name"] for tool in msgspec.json.decode(wanted[NOTE])["tools"])
    changed = [name for name, data in wanted.items() if _read(folder / name) != data]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in changed:
            _replace(folder / name, wanted[name])
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error
    outcome = "unchanged" if not changed else "installed" if before is None else "updated"
    return Installed(str(folder), outcome, tuple(changed), names, packed=bool(request.folder))


def uninstall(engine: Engine, request: UninstallRequest) -> Installed:
    """Removes the extension's files, and the folder when nothing else is in it.

    Raises:
        UsageError: files there were changed by hand, or the folder cannot be written.
    """
    folder = _folder(engine, project=request.project, chosen=request.folder)
    before = _note(folder)
    if before is None:
        return Installed(str(folder), "absent", packed=bool(request.folder))
    if not request.force:
        _refuse_strange(folder, before)
    removed = []
    try:
        for name in (*before.files, NOTE):
            if (folder / name).exists():
                (folder / name).unlink()
                removed.append(name)
        _prune(folder, above=not request.folder and request.project)
    except OSError as error:
        raise UsageError(f"{folder} cannot be changed: {error.strerror}") from error
    return Installed(str(folder), "removed", tuple(removed), packed=bool(request.folder))


def _prune(folder: Path, *, above: bool) -> None:
    """Remove a folder that holds nothing, and with `above` those it stands in up to `.pi`, on which Pi bases trust."""
    for one in (folder, folder.parent, folder.parent.parent) if above else (folder,):
        if any(one.iterdir()):
            return
        one.rmdir()


def status(engine: Engine, _request: PiStatusRequest) -> PiStatus:
    """Where the extension is installed, and whether it is this version's."""
    return PiStatus(backstory.__version__, tuple(places(engine)))


def places(engine: Engine) -> Iterator[PlaceRow]:
    """The two folders that Pi looks into by itself, and folders with our extension that its settings name."""
    for scope in ("user", "project"):
        own = _folder(engine, project=scope == "project")
        yield _row(scope, own)
        for one in named(own.parent.parent):
            if one.folder != own:
                yield _row(scope, one.folder, packed=True, off=one.off)


def _row(scope: str, folder: Path, *, packed: bool = False, off: bool = False) -> PlaceRow:
    note = _note(folder)
    if note is None:
        state = "off" if off else "bare" if packed else "foreign" if _strange(folder, None) else "absent"
        return PlaceRow(scope, str(folder), state, packed=packed)
    current = all(sha256(_shipped(name)).hexdigest() == note.files.get(name) for name in FILES)
    state = "off" if off else "edited" if _strange(folder, note) else "current" if current else "outdated"
    names = tuple(tool.get("name", "") for tool in note.tools if isinstance(tool, dict))
    return PlaceRow(scope, str(folder), state, note.version, note.python, names, packed)


def _folder(engine: Engine, *, project: bool, chosen: str | None = None) -> Path:
    if chosen is not None and project:
        raise UsageError("--project and --folder exclude each other")
    if chosen is not None:
        return _chosen(chosen)
    above = Path.cwd() / ".pi" if project else Path(pi_folder(engine.env))
    return above / "extensions" / NAME


def _chosen(name: str) -> Path:
    folder = Path(expanduser(name)).absolute()
    try:
        with suppress(OSError):
            folder.lstat()
    except ValueError as error:
        raise UsageError(f"{name!r}: no folder can have that name") from error
    return folder


def _contents(engine: Engine, *, tools: bool) -> dict[str, bytes]:
    """The files of this version by name; the note comes last, as it vouches for the others."""
    files = {name: _shipped(name) for name in FILES}
    table = load("engine.host.tools:tools")() if tools else []
    note = InstallNote(
        python=sys.executable,
        version=backstory.__version__,
        guard=os.path.join(engine.home, GUARD),
        tools=msgspec.to_builtins(table),
        files={name: sha256(data).hexdigest() for name, data in files.items()},
    )
    return {**files, NOTE: msgspec.json.format(msgspec.json.encode(note), indent=1) + b"\n"}


def _shipped(name: str) -> bytes:
    return (SHIPPED / name).read_bytes()


def _note(folder: Path) -> InstallNote | None:
    """The note in a folder, None when nothing of ours was installed there."""
    try:
        return msgspec.json.decode((folder / NOTE).read_bytes(), type=InstallNote)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


def _strange(folder: Path, note: InstallNote | None) -> list[str]:
    """Files under our names that are neither as we wrote them nor, where that was cut short, as we would."""
    known = note.files if note is not None else {}
    names = {*FILES, *known} if note is not None else {*FILES, NOTE}
    found = ((name, _read(folder / name)) for name in sorted(names))
    return [name for name, data in found if data is not None and not _ours(name, data, known.get(name))]


def _ours(name: str, data: bytes, known: str | None) -> bool:
    return sha256(data).hexdigest() == known or (name in FILES and data == _shipped(name))


def _refuse_strange(folder: Path, note: InstallNote | None) -> None:
    if strange := _strange(folder, note):
        why = "changed by hand" if note is not None else "not ours"
        raise UsageError(f"{folder} holds files that are {why}: {', '.join(strange)}; --force goes on all the same")


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
