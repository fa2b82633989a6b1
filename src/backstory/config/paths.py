"""Where our own files live: one data folder with a canonical and a derived half."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def data_folder(env: Mapping[str, str]) -> Path:
    """`BACKSTORY_HOME`, else the platform's folder for user data."""
    if chosen := env.get("BACKSTORY_HOME"):
        return Path(chosen).expanduser().absolute()
    home = Path(env.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "Backstory"
    if os.name == "nt":
        return Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local") / "Backstory"
    return Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / "backstory"


def derived_folder(home: Path) -> Path:
    """Everything below may be deleted at any time."""
    return home / "derived"


def history_path(home: Path) -> str:
    """The history database."""
    return str(derived_folder(home) / "history.db")
