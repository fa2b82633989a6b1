"""What people ask to keep: requests and answers about pins and memories."""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.memory import Kept, MemorySource
from backstory.records.session_name import SESSION

_TEXT = Help(description="what to keep", extra={"positional": True})
_ID = Help(description="its id, or a unique beginning of it", extra={"positional": True})
_LEVEL = Help(description="normal, internal, sensitive or local-only")


class PinRequest(Record, frozen=True, kw_only=True):
    """Keep a text in view of every call of a session, its branch or its project."""

    session: Annotated[str, SESSION]
    text: Annotated[tuple[str, ...], _TEXT]
    scope: Annotated[str, Help(description="session, branch or project")] = "session"
    classification: Annotated[str | None, _LEVEL] = None
    source: Annotated[str | None, Help(description="the entry it rests on")] = None
    file: Annotated[str | None, Help(description="the file it is about")] = None
    supersedes: Annotated[str | None, Help(description="the pin it replaces")] = None


class UnpinRequest(Record, frozen=True, kw_only=True):
    """Take a pin back."""

    session: Annotated[str, SESSION]
    pin: Annotated[str, _ID]
    reason: Annotated[str | None, Help(description="why")] = None


class KeptRequest(Record, frozen=True, kw_only=True):
    """List what is kept for a session and its project."""

    session: Annotated[str, SESSION]
    all: Annotated[bool, Help(description="also what is no longer active")] = False


class KeptSearchRequest(Record, frozen=True, kw_only=True):
    """Find pins and memories by their words, whichever session or project keeps them."""

    query: Annotated[tuple[str, ...], Help(description="words that all have to be in it", extra={"positional": True})]
    all: Annotated[bool, Help(description="also what is no longer active")] = False
    limit: Annotated[int, Help(description="most of them to show, 1 to 1000")] = 50


class MemoryAddRequest(Record, frozen=True, kw_only=True):
    """Remember a claim."""

    session: Annotated[str, SESSION]
    text: Annotated[tuple[str, ...], _TEXT]
    scope: Annotated[str, Help(description="session or project")] = "session"
    key: Annotated[str | None, Help(description="what the claim is about (default: taken from its form)")] = None
    classification: Annotated[str | None, _LEVEL] = None
    source: Annotated[tuple[str, ...], Help(description="an entry it rests on")] = ()


class MemorySupersedeRequest(Record, frozen=True, kw_only=True):
    """Replace a memory by a newer claim."""

    session: Annotated[str, SESSION]
    memory: Annotated[str, _ID]
    text: Annotated[tuple[str, ...], _TEXT]
    classification: Annotated[str | None, _LEVEL] = None
    source: Annotated[tuple[str, ...], Help(description="an entry it rests on")] = ()


class MemoryEndRequest(Record, frozen=True, kw_only=True):
    """Say that a memory no longer holds."""

    session: Annotated[str, SESSION]
    memory: Annotated[str, _ID]
    reason: Annotated[str | None, Help(description="why")] = None


class KeptAnswer(Record, frozen=True):
    """One item; `written` is false when the same was kept already, `warnings` names memories that say otherwise."""

    item: Kept
    written: bool = True
    warnings: tuple[str, ...] = ()


class KeptList(Record, frozen=True):
    """Items in the order they were made; `warnings` tell of memories that disagree and of records that do not count."""

    items: tuple[Kept, ...]
    warnings: tuple[str, ...] = ()


class MemorySourcesRequest(Record, frozen=True, kw_only=True):
    """List the session logs that hold memory of a project."""

    session: Annotated[str, SESSION]


class MemoryExcludeRequest(Record, frozen=True, kw_only=True):
    """Let what a session keeps for its project stop counting there."""

    session: Annotated[str, SESSION]
    reason: Annotated[tuple[str, ...], Help(description="why", extra={"positional": True})] = ()


class MemoryIncludeRequest(Record, frozen=True, kw_only=True):
    """Let an excluded session count again."""

    session: Annotated[str, SESSION]


class Exclusion(Record, frozen=True):
    """A session whose memory of a project does not count, and why, if that was said."""

    session: str
    reason: str | None = None


class MemorySources(Record, frozen=True):
    """The sources of a project's memory; `shared` says that each session sees what the others keep.

    `excluded` are sessions that do not count and whose logs, if they are there, hold none of it.
    """

    project: str
    items: tuple[MemorySource, ...]
    trusted: bool = False
    shared: bool = False
    excluded: tuple[Exclusion, ...] = ()


class MemorySourceAnswer(Record, frozen=True):
    """What was decided about a session; `written` is false when it was so already."""

    session: str
    project: str
    excluded: bool
    reason: str | None = None
    written: bool = True
