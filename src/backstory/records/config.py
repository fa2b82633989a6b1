"""Everything that can be set, as one tree of records with its defaults: what `config.toml` may hold.

A table of the file is a field here, a key of the table a field of that record; the reference is made from the
descriptions. Before it: `config.load`. Records of other nouns (`Limits`, `CachePolicy`, `Bounds`, `Policy`)
are taken as they are.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.budget import Bounds, Limits, Override
from backstory.records.plan import CachePolicy
from backstory.records.privacy import Policy

Placement = Literal["latest-user", "stable-prefix", "hybrid"]


class ContextOptions(Record, frozen=True):
    """How a call is put together."""

    placement: Annotated[Placement, Help(description="where supplements stand among the messages")] = "latest-user"
    rescue: Annotated[bool, Help(description="keep the turn before the request although the tail is full")] = True
    card: Annotated[bool, Help(description="add the working set: exact names from earlier")] = True
    excerpts: Annotated[bool, Help(description="add excerpts from earlier")] = True


class RetrievalOptions(Record, frozen=True):
    """Earlier messages of the session that match the request."""

    enabled: Annotated[bool, Help(description="look for earlier messages that match the request")] = True
    results: Annotated[int, Help(ge=1, le=100, description="most messages that are added")] = 12
    semantic: Annotated[bool, Help(description="reserved; nothing is enabled by it yet")] = False


class ProjectOptions(Record, frozen=True):
    """Source of a trusted project, and the bounds of its index, within which files are taken in path order."""

    enabled: Annotated[bool, Help(description="quote source that the request is about")] = True
    files: Annotated[int, Help(ge=1, le=1_000_000, description="most files that are indexed")] = 100_000
    file_bytes: Annotated[int, Help(ge=1, le=5_000_000, description="largest file that is indexed")] = 512_000
    total_bytes: Annotated[
        int, Help(ge=1, le=10_000_000_000, description="bytes that all indexed files may have together")
    ] = 500_000_000


class MemoryOptions(Record, frozen=True):
    """Claims that a person told Backstory to remember. Pins are always added."""

    enabled: Annotated[bool, Help(description="add memories that fit the request")] = True
    results: Annotated[int, Help(ge=1, le=100, description="most memories that are added")] = 12
    across_sessions: Annotated[bool, Help(description="count what other sessions of a trusted project keep")] = False
    sessions: Annotated[int, Help(ge=1, description="most sessions of a project that are read for it")] = 250


class ArtifactOptions(Record, frozen=True):
    """Large tool results."""

    enabled: Annotated[bool, Help(description="let a reference stand for a large tool result")] = True
    threshold: Annotated[int, Help(ge=1_000, description="characters that a tool result may have in full")] = 12_000


class ManifestOptions(Record, frozen=True):
    """Records of planned calls."""

    store: Annotated[bool, Help(description="keep the manifests of planned calls")] = True
    keep: Annotated[int, Help(ge=1, le=10_000, description="newest manifests that are kept")] = 128


class ToolOptions(Record, frozen=True):
    """What a host offers its model."""

    history: Annotated[bool, Help(description="tools that look into earlier parts of the session")] = True
    persistence: Annotated[bool, Help(description="the tool that proposes pins and memories")] = True
    across_sessions: Annotated[bool, Help(description="tools may look into all sessions of a trusted project")] = False


class Config(Record, frozen=True, kw_only=True):
    """All settings. Keys of `models` are `*`, `provider/*` and `provider/model`, least specific first."""

    mode: Annotated[
        Literal["active", "observe", "off"],
        Help(description="in a host: plan its calls, only record them, or do nothing"),
    ] = "active"
    context: ContextOptions = ContextOptions()
    budget: Limits = Limits()
    cache: CachePolicy = CachePolicy()
    calibration: Bounds = Bounds()
    retrieval: RetrievalOptions = RetrievalOptions()
    project: ProjectOptions = ProjectOptions()
    memory: MemoryOptions = MemoryOptions()
    artifacts: ArtifactOptions = ArtifactOptions()
    manifests: ManifestOptions = ManifestOptions()
    tools: ToolOptions = ToolOptions()
    privacy: Policy = Policy()
    models: Annotated[dict[str, Override], Help(description="what you know of a model better than its host")] = (
        msgspec.field(default_factory=dict)
    )
