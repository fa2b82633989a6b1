"""What went into one model call, what stayed out and why: numbers, ids, hashes and reasons, never a text.

The types allow no message content: reasons are phrases of the planner, everything else is an identifier or a count.
"""

import msgspec

from backstory.records.base import Record
from backstory.records.budget import Budget, Calibration, Tuning, Usage
from backstory.records.plan import CacheReport
from backstory.records.privacy import PrivacyReport
from backstory.records.summary import SummaryRef

SCHEMA = 1
POLICY = "backstory-plan-v1"


class Line(Record, frozen=True, gc=False):
    """One included or excluded item.

    `kind` is system, tool, pin, labelled, recent, current, summary, memory, card, excerpt, retrieval, project or
    history; `source` the entry or supplement, `messages` how many it stands for, `hash` names what was sent.
    """

    kind: str
    tokens: int
    reason: str
    source: str | None = None
    seq: int | None = None
    role: str | None = None
    group: str | None = None
    score: float | None = None
    level: str = "normal"
    messages: int = 1
    hash: str | None = None


class Composition(Record, frozen=True):
    """Tokens by where they come from.

    Where nobody says how much of it are tools, `system` stands for both. `tool_count` is None where nobody told.
    """

    system: int = 0
    tools: int = 0
    messages: int = 0
    message_count: int = 0
    kinds: dict[str, int] = msgspec.field(default_factory=dict)
    tool_count: int | None = None


class Tools(Record, frozen=True):
    """The tools that go with a call: the tokens of what describes them, and their names where they are told."""

    tokens: int = 0
    names: tuple[str, ...] | None = None


class Planning(Record, frozen=True):
    """How the planner came to it."""

    mode: str
    original_tokens: int
    original_messages: int
    tail_limit: int
    included_groups: int
    excluded_groups: int
    rescued: bool = False
    split: bool = False
    oversized: int = 0
    placement: str = "latest-user"
    duration_ms: float = 0.0
    reason: str | None = None


class Asked(Record, frozen=True):
    """Limits that a call was planned with and that its budget does not tell, in tokens; None for what nobody gave.

    `messages` is what all messages together may use, `output` what the model can answer with.
    """

    messages: int | None = None
    output: int | None = None


class ArtifactRef(Record, frozen=True):
    """A large tool result that stands in the call as a short reference.

    `sha256` names the bytes that are kept of it, without secrets; None where none are. `error` is None for what a
    person ran by hand, which does not tell.
    """

    id: str
    size: int
    entry: str
    tool: str | None
    original_tokens: int
    condensed_tokens: int
    sha256: str | None = None
    mime: str = "text/plain"
    call: str | None = None
    error: bool | None = None
    level: str = "normal"


class KeptRef(Record, frozen=True):
    """A pin or a memory in the call: for whom it holds, and where it comes from.

    `session` is the one that it was made in and `file` its log, `mutation` the entry that made it, `branch` the leaf at
    that moment, `leaf` the entry that a branch pin hangs on; `sources` are the entries it rests on.
    """

    id: str
    kind: str
    scope: str
    session: str
    mutation: str
    sources: tuple[str, ...] = ()
    file: str | None = None
    branch: str | None = None
    leaf: str | None = None
    source_file: str | None = None
    supersedes: str | None = None
    contradicts: tuple[str, ...] = ()
    level: str = "normal"


class Retrieval(Record, frozen=True):
    """How earlier messages were looked for: what could have been quoted, and what was only counted.

    `committed` are in the call anyway, `alternates` stand on other branches, `duplicates` say what another one says.
    """

    status: str
    candidates: int = 0
    committed: int = 0
    duplicates: int = 0
    alternates: int = 0


class SnippetRef(Record, frozen=True):
    """A range of a project file in the call.

    `commit` is the Git commit that has the file as it was quoted, None for one that is `modified` or outside Git;
    `symbol` what is declared there.
    """

    id: str
    path: str
    sha256: str
    start_line: int
    end_line: int
    score: float
    modified: bool = False
    commit: str | None = None
    symbol: str | None = None


class ProjectRevision(Record, frozen=True):
    """What the project was when it was last looked at, `indexed_at` in ms; `changed` counts files that Git calls so."""

    indexed_at: int
    git_root: str | None = None
    branch: str | None = None
    head: str | None = None
    dirty: bool = False
    changed: int = 0


class ModelSwitch(Record, frozen=True):
    """Whether a call goes to another model than the one before it in the session.

    `source` is set, cycle or restore where a host says how, else context. `reused` says that answers of this model are
    known already; `disposition` of the provider's cache is eligible, cold-model-switch or unknown.
    """

    source: str
    switched: bool
    previous: str | None = None
    reused: bool = False
    disposition: str = "unknown"


class TraceLine(Record, frozen=True):
    """What is left of one included item."""

    tokens: int
    hash: str | None = None


class Trace(Record, frozen=True):
    """What the next call of a session needs to know of a manifest; decoded from the same document."""

    provider: str
    model: str
    included: tuple[TraceLine, ...]
    leaf: str | None = None
    cache: CacheReport | None = None
    created: int = 0


class Inventory(Record, frozen=True):
    """What a stored manifest keeps of the excluded items: all, or the first and last with sums over the rest.

    Over the rest: `digest` of the items and `reason_digest` of their reasons, `kinds` and `levels` count items,
    `kind_tokens` sums their tokens.
    """

    completeness: str = "complete"
    source_bytes: int = 0
    excluded: int = 0
    retained: int = 0
    omitted_tokens: int = 0
    digest: str | None = None
    kinds: dict[str, int] = msgspec.field(default_factory=dict)
    kind_tokens: dict[str, int] = msgspec.field(default_factory=dict)
    levels: dict[str, int] = msgspec.field(default_factory=dict)
    reason_digest: str | None = None


class Manifest(Record, frozen=True):
    """The record of one planned call. `leaf` is what it goes on from (id or number), `call` the answer.

    `replayed` names the manifest of the past call that was planned again; such a plan is no call of its session. One
    that was only `observed` was made with the agent's own list: what its provider counted says nothing about the plan.
    """

    id: str
    session: str
    created: int
    provider: str
    model: str
    budget: Budget
    estimated_input: int
    composition: Composition
    planning: Planning
    included: tuple[Line, ...]
    excluded: tuple[Line, ...]
    prompt_hash: str
    leaf: str | None = None
    call: str | None = None
    estimator: str = "chars-v1"
    summaries: tuple[str, ...] = ()
    provenance: tuple[SummaryRef, ...] = ()
    retrieved: tuple[str, ...] = ()
    retrieval: Retrieval | None = None
    pins: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    kept: tuple[KeptRef, ...] = ()
    snippets: tuple[SnippetRef, ...] = ()
    artifacts: tuple[ArtifactRef, ...] = ()
    project: str | None = None
    revision: ProjectRevision | None = None
    tools: tuple[str, ...] = ()
    privacy: PrivacyReport = PrivacyReport()
    calibration: Calibration = Calibration()
    cache: CacheReport | None = None
    switch: ModelSwitch | None = None
    tuning: Tuning = Tuning()
    usage: Usage | None = None
    inventory: Inventory | None = None
    warnings: tuple[str, ...] = ()
    replayed: str | None = None
    observed: bool = False
    asked: Asked = Asked()
    policy: str = POLICY
    schema_version: int = SCHEMA
