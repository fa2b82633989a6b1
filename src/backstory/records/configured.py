"""What became of the configuration: effective values with where each comes from, and what is wrong with the files."""

import msgspec

from backstory.records.base import Record
from backstory.records.config import Config
from backstory.records.problem import Problem


class ConfigFile(Record, frozen=True):
    """A place that was looked at. `origin` is user, project, or ds4-user and ds4-project for files of that engine."""

    origin: str
    path: str
    found: bool


class Loaded(Record, frozen=True):
    """The effective configuration. `origins` names the source of every value that is not a default, by dotted key."""

    config: Config = Config()
    origins: dict[str, str] = msgspec.field(default_factory=dict)
    files: tuple[ConfigFile, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The problems as lines of text."""
        return tuple(f"{one.path}: {one.reason}" for one in self.problems)
