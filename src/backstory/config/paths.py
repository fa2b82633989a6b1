"""Where our own files live: one data folder with a canonical and a derived half.

Paths are plain text here: every command asks, and `pathlib` would be a good part of its start.
"""

import errno
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import BinaryIO

from backstory.errors import UsageError

Folder = str | os.PathLike[str]
MISSING = "does not exist"


def plain(path: Folder) -> str:
    """The path without doubled slashes, `.` and a slash at the end; `..` stays, as it may stand behind a link.

    >>> plain("/home//me/./logs/")
    '/home/me/logs'
    """
    parts = [part for part in os.fspath(path).split("/") if part not in {"", "."}]
    return ("/" * os.path.isabs(path) + "/".join(parts)) or "."


def absolute(path: Folder) -> str:
    """A path from the root on, `plain`, with `~` for the home folder."""
    given = os.path.expanduser(path)
    return plain(given if os.path.isabs(given) else os.path.join(os.getcwd(), given))


def as_path(name: str) -> str:
    """A name that may be the path of a file, given from where a person stands; any other name as it is."""
    return absolute(name) if "/" in name else name


def absent(path: Folder) -> str | None:
    """Why nothing can be found at a path, as words that go on from its name; None if something is there."""
    try:
        os.stat(path)
    except ValueError:
        return MISSING
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "is a link that leads back to itself"
        if os.path.islink(path):
            return f"is a link to {os.readlink(path)}, where nothing is"
        nothing = error.errno in {errno.ENOENT, errno.ENOTDIR}
        return MISSING if nothing else f"cannot be reached: {error.strerror}"
    return None


def open_file(path: Folder) -> BinaryIO:
    """A regular file, to be read; raises OSError, also for a pipe, which `open` would wait at for somebody to write."""
    return open(path, "rb", opener=_regular)


def _regular(path: str, flags: int) -> int:
    handle = os.open(path, flags | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, "Not a regular file", path)


def make_folder(path: str) -> None:
    """Makes a folder with all above it, each readable by its owner only; raises OSError."""
    missing = []
    while path and not os.path.exists(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(folder, mode=0o700)


def data_folder(env: Mapping[str, str]) -> str:
    """`BACKSTORY_HOME`, else the platform's folder for user data.

    Raises:
        UsageError: no database can be opened under that name, as it is not UTF-8.
    """
    folder = _data_folder(env)
    try:
        folder.encode()
    except UnicodeEncodeError:
        told = ascii(folder)
        raise UsageError(f"{told} is no name in UTF-8; set BACKSTORY_HOME to another folder") from None
    return folder


def _data_folder(env: Mapping[str, str]) -> str:
    if chosen := env.get("BACKSTORY_HOME"):
        return absolute(chosen)
    home = user_home(env)
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "Backstory")
    if os.name == "nt":
        return os.path.join(env.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local"), "Backstory")
    return os.path.join(env.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share"), "backstory")


def derived_folder(home: Folder) -> str:
    """Everything below may be deleted at any time; a link is followed, as folders are moved into its place."""
    place = os.path.join(home, "derived")
    return os.path.realpath(place) if os.path.islink(place) else place


def unfinished(home: Folder) -> tuple[str, str]:
    """Beside `derived`, as long as a rebuild goes on: what becomes the new index, and the old one on its way out."""
    folder = derived_folder(home)
    return f"{folder}.new", f"{folder}.dropped"


def history_path(home: Folder) -> str:
    """The history database."""
    return os.path.join(derived_folder(home), "history.db")


def settings_file(home: Folder, env: Mapping[str, str]) -> str:
    """The file with a person's settings: `BACKSTORY_CONFIG`, else beside a chosen data folder, else the platform's."""
    if chosen := env.get("BACKSTORY_CONFIG"):
        return absolute(chosen)
    if env.get("BACKSTORY_HOME") or os.fspath(home) != data_folder(env) or sys.platform == "darwin":
        return os.path.join(home, "config.toml")
    user = user_home(env)
    if os.name == "nt":
        return os.path.join(env.get("APPDATA") or os.path.join(user, "AppData", "Roaming"), "Backstory", "config.toml")
    return os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(user, ".config"), "backstory", "config.toml")


def projects_folder(home: Folder) -> str:
    """Where the indexes of projects lie, one database each."""
    return os.path.join(derived_folder(home), "projects")


def pi_folder(env: Mapping[str, str]) -> str:
    """Pi's own folder, which holds the settings of extensions."""
    if chosen := env.get("PI_CODING_AGENT_DIR"):
        return absolute(chosen)
    return os.path.join(user_home(env), ".pi", "agent")


def user_home(env: Mapping[str, str]) -> str:
    """The folder that agents keep their logs under: `HOME`, else what the system knows of the account.

    Raises:
        UsageError: neither is known; a relative folder would be another one wherever a command is run.
    """
    found = env.get("HOME") or _account_home()
    if not found:
        raise UsageError("no home folder is known; set HOME")
    return found


def _account_home() -> str:
    """The home folder of the account, empty when the system has none."""
    try:
        account = import_module("pwd").getpwuid(os.getuid())
    except ImportError:  # not a system of this kind
        found = os.path.expanduser("~")
        return "" if found == "~" else found
    except KeyError:
        return ""
    return str(account.pw_dir)
