"""What a host tells its model about our tools, and the arguments that each of them takes.

Schemas that hosts hand to models are made from these records, and the same records check what models send.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from backstory.records.base import Record

Scope = Literal["current-branch", "current-session", "current-lineage", "project"]
Action = Literal[
    "pins_list",
    "pins_find",
    "pin_add",
    "pin_supersede",
    "pin_unpin",
    "memory_list",
    "memory_find",
    "memory_add",
    "memory_supersede",
    "memory_invalidate",
    "memory_expire",
    "memory_sources",
    "memory_source_exclude",
    "memory_source_include",
]
_TOKENS = Meta(ge=256, le=6_000, description="most tokens of the answer (default 3000)")


class Tool(Record, frozen=True, rename="camel"):
    """One tool as a host registers it. `parameters` is a JSON Schema; `sequential` forbids a call beside another.

    Everything a model is told stands in the description: what a host adds to its system prompt would stay there when we
    fail, and change what it sends without us.
    """

    name: str
    label: str
    description: str
    parameters: dict[str, Any]
    sequential: bool = False


class _Arguments(Record, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Arguments of a tool; an unknown one is refused."""


class ArtifactSearch(_Arguments, frozen=True):
    """Arguments of `context_artifact_search`."""

    artifact_id: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="the artifact's id, from its reference")]
    query: Annotated[str, Meta(min_length=2, max_length=200, description="text to find, in upper or lower case")]
    max_matches: Annotated[int, Meta(ge=1, le=12, description="most matches to show (default 8)")] = 8


class HistoryRecall(_Arguments, frozen=True):
    """Arguments of `context_history_recall`."""

    query: Annotated[str, Meta(min_length=2, max_length=2_000, description="names, paths, phrases or words to find")]
    scope: Annotated[Scope, Meta(description="where to look (default current-branch)")] = "current-branch"
    limit: Annotated[int, Meta(ge=1, le=12, description="most entries to show (default 6)")] = 6
    max_output_tokens: Annotated[int, _TOKENS] = 3_000
    roles: Annotated[
        tuple[Literal["user", "assistant", "tool"], ...], Meta(max_length=3, description="only entries of these")
    ] = ()
    before: Annotated[str, Meta(max_length=40, description="only entries before this ISO date")] | UnsetType = UNSET
    after: Annotated[str, Meta(max_length=40, description="only entries after this ISO date")] | UnsetType = UNSET
    include_summaries: Annotated[bool, Meta(description="also look in summaries of compacted parts")] = False


class HistoryRead(_Arguments, frozen=True):
    """Arguments of `context_history_read`."""

    source_ref: Annotated[str, Meta(min_length=1, max_length=128, description="a sourceRef from recall")]
    start_line: Annotated[int, Meta(ge=1, le=10_000_000, description="first line (default 1)")] = 1
    max_lines: Annotated[int, Meta(ge=1, le=200, description="most lines (default 120)")] = 120
    max_output_tokens: Annotated[int, _TOKENS] = 3_000


class HistoryStatus(_Arguments, frozen=True):
    """`context_history_status` takes nothing."""


class Persistence(_Arguments, frozen=True):
    """Arguments of `context_persistence`; which of them go with which action, `engine.host.persistence` says."""

    action: Annotated[Action, Meta(description="what to do")]
    scope: (
        Annotated[
            Literal["session", "branch", "project"],
            Meta(description="for additions (default session); branch is for pins only"),
        ]
        | UnsetType
    ) = UNSET
    id: Annotated[str, Meta(min_length=1, max_length=128, description="exact id of the target")] | UnsetType = UNSET
    target_revision: (
        Annotated[str, Meta(min_length=1, max_length=64, description="its targetRevision, from a list or find")]
        | UnsetType
    ) = UNSET
    content: (
        Annotated[str, Meta(min_length=1, max_length=20_000, description="the pin, or the claim to remember")]
        | UnsetType
    ) = UNSET
    key: Annotated[str, Meta(min_length=1, max_length=256, description="what a memory is about")] | UnsetType = UNSET
    query: Annotated[str, Meta(min_length=2, max_length=200, description="what to find")] | UnsetType = UNSET
    reason: Annotated[str, Meta(min_length=1, max_length=500, description="why something ends")] | UnsetType = UNSET
    classification: (
        Annotated[Literal["normal", "internal", "sensitive", "local-only"], Meta(description="who may see it")]
        | UnsetType
    ) = UNSET
    active_only: Annotated[bool, Meta(description="leave out what has ended (default true)")] | UnsetType = UNSET
    max_results: Annotated[int, Meta(ge=1, le=100, description="most items")] | UnsetType = UNSET


def schema(arguments: type[Any]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, without references."""
    made = msgspec.json.schema(arguments)
    found: dict[str, Any] = made["$defs"][arguments.__name__]
    kept = {key: value for key, value in found.items() if key not in {"title", "description"}}
    return {**kept, "required": kept.get("required", [])}
