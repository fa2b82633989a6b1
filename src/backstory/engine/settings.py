"""The settings that hold for a session or folder, and showing people where each value comes from.

A project's file counts only when the project is trusted: by the host that says so, or by a person (`project trust`).
"""

import os
from os.path import expanduser
from pathlib import Path

import msgspec

from backstory.config import keys
from backstory.config.ds4 import NAME
from backstory.config.load import PROJECT_FILE, load
from backstory.engine import trust
from backstory.engine.open import Engine
from backstory.errors import BackstoryError, UsageError
from backstory.project.root import canonical
from backstory.records.settings import (
    ConfigCheck,
    ConfigFile,
    ConfigPaths,
    ConfigRequest,
    ConfigShown,
    ConfigShowRequest,
    Loaded,
    Setting,
)


def effective(engine: Engine, folder: str | None, *, trusted: bool | None = None) -> Loaded:
    """The settings for work in a folder. `trusted` is a host's word on it; None asks what a person decided."""
    return load(engine.home, engine.env, _project(engine, folder, trusted=trusted))


def show(engine: Engine, request: ConfigShowRequest) -> ConfigShown:
    """Every setting with its value and source."""
    loaded = _asked(engine, request)
    rows = []
    for path, value in keys.leaves(loaded.config):
        name = keys.dotted(path)
        origin = loaded.origins.get(name, "default")
        if request.changed and origin == "default":
            continue
        rows.append(Setting(name, msgspec.to_builtins(value), origin))
    return ConfigShown(tuple(rows), loaded.files, loaded.remarks)


def path(engine: Engine, request: ConfigRequest) -> ConfigPaths:
    """The files that are looked at, in the order in which later ones win."""
    return ConfigPaths(_asked(engine, request).files)


def check(engine: Engine, request: ConfigRequest) -> ConfigCheck:
    """What is wrong with the files."""
    loaded = _asked(engine, request)
    return ConfigCheck(sum(file.found for file in loaded.files), (*loaded.problems, *loaded.notes))


def _asked(engine: Engine, request: ConfigRequest) -> Loaded:
    """The settings for the folder that a person named, or stands in; raises UsageError where there is none."""
    folder = str(Path(expanduser(request.project)).absolute()) if request.project else os.getcwd()
    if not os.path.isdir(folder):
        raise UsageError(f"--project {request.project}: there is no such folder")
    loaded = effective(engine, folder)
    unread = _untrusted(folder, loaded.files)
    return msgspec.structs.replace(loaded, files=(*loaded.files, *unread))


def _project(engine: Engine, folder: str | None, *, trusted: bool | None) -> Path | None:
    """The root whose files count, None when there is none or nobody trusts it. A host speaks of its folder alone."""
    if not folder or trusted is False:
        return None
    root = _configured(folder)
    if root is None or (trusted and root == Path(folder)):
        return root
    try:
        known = str(canonical(root)) in trust.trusted_roots(engine.home)
    except BackstoryError:
        return None
    return root if known else None


def _configured(folder: str) -> Path | None:
    """The nearest folder at or above this one that has settings, without looking at what they say."""
    here = Path(folder)
    for root in (here, *here.parents):
        if os.path.exists(f"{root}/{PROJECT_FILE}") or os.path.exists(f"{root}/.pi/{NAME}"):
            return root
    return None


def _untrusted(folder: str, files: tuple[ConfigFile, ...]) -> tuple[ConfigFile, ...]:
    root = _configured(folder)
    if root is None or any(file.origin.endswith("project") for file in files):
        return ()
    known = (root / ".pi" / NAME, root / PROJECT_FILE)
    return tuple(ConfigFile("untrusted project", str(one), found=False) for one in known if os.path.exists(one))
