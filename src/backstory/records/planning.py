"""What a plan is asked and what it answers: the shapes every surface shares. Sizes are tokens."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.manifest import Line, Manifest
from backstory.records.problem import Problem
from backstory.records.session_name import SESSION


class PlanRequest(Record, frozen=True, kw_only=True):
    """Plan the context of a session's next (or a past) model call."""

    session: Annotated[str, SESSION]
    at: Annotated[str | None, Help(description="plan the past call that gave this entry, or went on from it")] = None
    leaf: Annotated[str | None, Help(description="plan the call that goes on from this entry")] = None
    request: Annotated[str | None, Help(description="what the user asks next")] = None
    budget: Annotated[int | None, Help(description="tokens that all messages together may use")] = None
    window: Annotated[int | None, Help(description="the model's context window in tokens")] = None
    model: Annotated[str | None, Help(description="the model, as PROVIDER/ID")] = None
    max_output: Annotated[int | None, Help(description="tokens the model can answer with")] = None
    fixed: Annotated[int, Help(description="tokens of the system prompt and the tools")] = 0
    project: Annotated[str | None, Help(description="also quote source of this trusted project")] = None
    placement: Annotated[str | None, Help(description="latest-user, stable-prefix or hybrid")] = None
    cache: Annotated[str | None, Help(description="how the tail's start moves: off, steady or auto")] = None
    no_sync: Annotated[bool, Help(description="do not look for new entries first")] = False


class PlannedMessage(Record, frozen=True):
    """One message to send. `entry_id` is null for a synthetic one; `content` is a list of blocks."""

    role: str
    kind: str
    entry_id: str | None
    seq: int | None
    group: str
    tokens: int
    content: list[dict[str, Any]]


class Planned(Record, frozen=True):
    """The messages of a call in sending order, the manifest that accounts for them, and the same in words."""

    messages: tuple[PlannedMessage, ...]
    manifest: Manifest
    explanation: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class ReplayRequest(Record, frozen=True, kw_only=True):
    """Plan a past call again, under another budget or setting."""

    manifest: Annotated[str, Help(description="manifest id or unique beginning of one", extra={"positional": True})]
    request: Annotated[str | None, Help(description="what the user asked, when it stood in no log yet")] = None
    budget: Annotated[int | None, Help(description="tokens that all messages together may use")] = None
    window: Annotated[int | None, Help(description="the model's context window in tokens")] = None
    model: Annotated[str | None, Help(description="the model, as PROVIDER/ID")] = None
    max_output: Annotated[int | None, Help(description="tokens the model can answer with")] = None
    project: Annotated[str | None, Help(description="also quote source of this trusted project")] = None
    placement: Annotated[str | None, Help(description="latest-user, stable-prefix or hybrid")] = None
    cache: Annotated[str | None, Help(description="how the tail's start moves: off, steady or auto")] = None


class DiffRequest(Record, frozen=True, kw_only=True):
    """Compare what two planned calls sent."""

    first: Annotated[str, Help(description="manifest id or unique beginning of one", extra={"positional": True})]
    second: Annotated[str, Help(description="the manifest to compare it with", extra={"positional": True})]


class ManifestsRequest(Record, frozen=True, kw_only=True):
    """List the manifests of planned calls, the latest first."""

    session: Annotated[str | None, Help(description="only those of this session")] = None
    limit: Annotated[int, Help(description="manifests to list, 1 to 10000")] = 20


class ManifestRequest(Record, frozen=True, kw_only=True):
    """Show the manifest of one planned call."""

    manifest: Annotated[str, Help(description="manifest id or unique beginning of one", extra={"positional": True})]


class ManifestRow(Record, frozen=True):
    """One manifest in a list. `actual` is what the provider counted, null until it answered."""

    id: str
    session: str
    created: int
    mode: str
    model: str
    estimated: int
    actual: int | None


class ManifestList(Record, frozen=True):
    """Manifests, the latest first; `session` is the one, as source:id, that was asked for."""

    items: tuple[ManifestRow, ...]
    session: str | None = None


class Lines(Record, frozen=True):
    """The included or the excluded items of a manifest; `omitted` were only summed up when it was stored.

    `places` are the files and lines that ids of project source stand for.
    """

    manifest: str
    items: tuple[Line, ...]
    omitted: int = 0
    places: dict[str, str] = msgspec.field(default_factory=dict)


class Explanation(Record, frozen=True):
    """A manifest in words."""

    manifest: str
    lines: tuple[str, ...]


class Comparison(Record, frozen=True):
    """Two manifests side by side.

    `kept` counts the items in both; `added` are only in the second, `removed` only in the first. `tokens` is how much
    larger the second call is; `prefix` counts the leading items that are the same in both.
    """

    first: str
    second: str
    kept: int
    added: tuple[Line, ...]
    removed: tuple[Line, ...]
    tokens: int
    prefix: int
    prefix_tokens: int
