"""What became of the configuration: effective values with where each comes from, and what is wrong with the files."""

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.config import Config
from backstory.records.problem import Problem


class ConfigFile(Record, frozen=True):
    """A place that was looked at. `origin` is user, project, or ds4-user and ds4-project for files of that engine."""

    origin: str
    path: str
    found: bool


class Loaded(Record, frozen=True):
    """The effective configuration. `origins` names the source of every value that is not a default, by dotted key.

    `problems` concern every call; `notes` are keys of another engine that mean nothing here, for whoever asks.
    """

    config: Config = Config()
    origins: dict[str, str] = msgspec.field(default_factory=dict)
    files: tuple[ConfigFile, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The problems as lines of text."""
        return _lines(self.problems)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The problems and the notes as lines of text."""
        return _lines((*self.problems, *self.notes))


def _lines(told: Iterable[Problem]) -> tuple[str, ...]:
    return tuple(f"{one.path}: {one.reason}" for one in told)


class ConfigRequest(Record, frozen=True, kw_only=True):
    """Show settings: their values, the files they come from, or what is wrong with these."""

    project: Annotated[str | None, Help(description="the folder they are for (default: the current one)")] = None


class ConfigShowRequest(ConfigRequest, frozen=True, kw_only=True):
    """Show every setting with its value and where it comes from."""

    changed: Annotated[bool, Help(description="only those that are not defaults")] = False


class Setting(Record, frozen=True):
    """One effective value; `origin` is default, ds4-user, user, ds4-project, project, environment or locked."""

    key: str
    value: Any
    origin: str


class ConfigShown(Record, frozen=True):
    """All settings, the files they come from, and what is wrong with these."""

    settings: tuple[Setting, ...]
    files: tuple[ConfigFile, ...]
    warnings: tuple[str, ...] = ()


class ConfigPaths(Record, frozen=True):
    """The files that are looked at; later ones win."""

    files: tuple[ConfigFile, ...]


class ConfigCheck(Record, frozen=True):
    """How many files were found, and what is wrong with them."""

    found: int
    problems: tuple[Problem, ...] = ()
