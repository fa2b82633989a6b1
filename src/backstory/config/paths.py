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


def settings_file(home: Path, env: Mapping[str, str]) -> Path:
    """The file with a person's settings: `BACKSTORY_CONFIG`, else beside a chosen data folder, else the platform's."""
    if chosen := env.get("BACKSTORY_CONFIG"):
        return Path(chosen).expanduser().absolute()
    if env.get("BACKSTORY_HOME") or home != data_folder(env) or sys.platform == "darwin":
        return home / "config.toml"
    user = Path(env.get("HOME") or Path.home())
    if os.name == "nt":
        return Path(env.get("APPDATA") or user / "AppData" / "Roaming") / "Backstory" / "config.toml"
    return Path(env.get("XDG_CONFIG_HOME") or user / ".config") / "backstory" / "config.toml"


def pi_folder(env: Mapping[str, str]) -> Path:
    """Pi's own folder, which holds the settings of extensions."""
    if chosen := env.get("PI_CODING_AGENT_DIR"):
        return Path(chosen).expanduser().absolute()
    return Path(env.get("HOME") or Path.home()) / ".pi" / "agent"
