"""Large tool results: what is known of one, and requests and answers about them."""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record

_ID = Help(description="artifact id or unique beginning of one", extra={"positional": True})


class Artifact(Record, frozen=True):
    """A tool result that plans refer to instead of repeating it. `digest` names its redacted bytes."""

    id: str
    source: str
    session_id: str
    seq: int
    call: str
    tool: str | None
    digest: str
    size: int
    tokens: int
    failed: bool
    created: int


class ArtifactRequest(Record, frozen=True, kw_only=True):
    """Show a large tool result that a plan refers to."""

    artifact: Annotated[str, _ID]


class ArtifactSearchRequest(Record, frozen=True, kw_only=True):
    """Find text in a large tool result that a plan refers to."""

    artifact: Annotated[str, _ID]
    text: Annotated[tuple[str, ...], Help(description="what to look for", extra={"positional": True})]
    limit: Annotated[int, Help(description="matches to show, 1 to 12")] = 8


class ArtifactVerifyRequest(Record, frozen=True, kw_only=True):
    """Check that all kept tool results are whole, or make damaged ones again and remove what nothing refers to."""

    collect: Annotated[
        bool, Help(description="also remove objects that nothing refers to, an hour after they were kept")
    ] = False
    repair: Annotated[bool, Help(description="also make missing and damaged ones again from their logs")] = False


class ArtifactShown(Record, frozen=True):
    """A tool result in full, without secrets."""

    artifact: Artifact
    text: str


class ArtifactMatches(Record, frozen=True):
    """Stretches around matches, in order; `total` counts all of them."""

    artifact: Artifact
    total: int
    matches: tuple[str, ...]


class ArtifactCheck(Record, frozen=True):
    """How many are whole, which are not, and how many objects nothing refers to (and were removed).

    `remade` counts those that were made again; they count as whole.
    """

    whole: int
    missing: tuple[str, ...]
    corrupt: tuple[str, ...]
    unreferenced: int
    removed: int = 0
    remade: int = 0
