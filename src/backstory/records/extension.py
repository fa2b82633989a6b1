"""Putting the extension into Pi, taking it out again, and finding out what is wrong with it."""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.upkeep import Check


class InstallRequest(Record, frozen=True, kw_only=True):
    """Put Backstory into Pi, for you or for one project; done again, it brings everything up to date."""

    project: Annotated[bool, Help(description="only in the project of the working folder")] = False
    folder: Annotated[str | None, Help(description="into a folder of its own, to be handed to `pi install`")] = None
    no_tools: Annotated[bool, Help(description="offer the model no tools")] = False
    force: Annotated[bool, Help(description="replace files that were changed by hand or are not ours")] = False


class UninstallRequest(Record, frozen=True, kw_only=True):
    """Take Backstory out of Pi again; sessions and what they keep stay."""

    project: Annotated[bool, Help(description="only in the project of the working folder")] = False
    folder: Annotated[str | None, Help(description="from a folder of its own")] = None
    force: Annotated[bool, Help(description="remove files that were changed by hand as well")] = False


class Installed(Record, frozen=True):
    """What was done in which folder: installed, updated, unchanged, removed or absent.

    `packed`: the folder is a package, which Pi takes part in only once `pi install` was given it.
    """

    folder: str
    outcome: str
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    packed: bool = False


class PlaceRow(Record, frozen=True):
    """One folder that Pi loads extensions from. `state` is absent, current, outdated, edited, foreign, bare or off.

    `scope` is user or project; it is `packed` when the settings of Pi name the folder. Such a package is bare without
    the note of what to start, and off when the settings load no extension of it.
    """

    scope: str
    folder: str
    state: str
    version: str | None = None
    python: str | None = None
    tools: tuple[str, ...] = ()
    packed: bool = False

    @property
    def name(self) -> str:
        """The place as people read of it."""
        return f"{self.scope} package" if self.packed else self.scope


class PiStatusRequest(Record, frozen=True, kw_only=True):
    """Say where the extension is installed; changes nothing."""


class PiStatus(Record, frozen=True):
    """The places, and the version of this Backstory."""

    version: str
    places: tuple[PlaceRow, ...]


class DoctorRequest(Record, frozen=True, kw_only=True):
    """Find out what keeps Backstory from working inside Pi; changes nothing."""


class Diagnosis(Record, frozen=True):
    """`status` is the worst of the checks."""

    status: str
    checks: tuple[Check, ...]
