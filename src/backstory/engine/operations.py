"""The table of operations: what Backstory can be asked. Command line and RPC are both derived from it.

Request types and handlers are named by text and loaded when used, so that one command pays for its own nouns only.
"""

from collections.abc import Callable
from typing import Any

from backstory.engine.loading import load
from backstory.records.base import Record


class Operation(Record, frozen=True):
    """One operation; `request` and `handler` are "module:name" below `backstory`, `name` may have two words."""

    name: str
    summary: str
    request: str
    handler: str
    read_only: bool = True


OPERATIONS: tuple[Operation, ...] = (
    Operation("index", "read what is new in all agents' sessions", "records.indexing:IndexRequest", "engine.indexing.index:index", read_only=False),
    Operation("search", "find sessions and entries", "records.searching:SearchRequest", "engine.sessions.search:find"),
    Operation("sessions", "list sessions, the latest first", "records.browsing:SessionsRequest", "engine.sessions.browse:sessions"),
    Operation("show", "show a session or an entry", "records.browsing:ShowRequest", "engine.sessions.browse:show"),
    Operation("sources", "say where sessions were looked for", "records.sources:SourcesRequest", "engine.indexing.sources:sources"),
    Operation("verify", "hash whole files again", "records.upkeep:VerifyRequest", "engine.upkeep.verify:verify", read_only=False),
    Operation("forget", "drop sessions from the index for good", "records.upkeep:ForgetRequest", "engine.upkeep.forget:forget", read_only=False),
    Operation("rebuild", "delete everything derived and index again", "records.indexing:RebuildRequest", "engine.upkeep.rebuild:rebuild", read_only=False),
    Operation("health", "check the index", "records.upkeep:HealthRequest", "engine.upkeep.health:health"),
    Operation("plan", "plan the context of a model call", "records.planning:PlanRequest", "engine.planning.plan:plan"),
    Operation("context", "answer a /context command about a session", "records.context_line:ContextLine", "engine.host.commands.terminal:typed", read_only=False),
    Operation("config show", "show settings and where each comes from", "records.settings:ConfigShowRequest", "engine.settings:show"),
    Operation("config path", "list the files that settings come from", "records.settings:ConfigRequest", "engine.settings:path"),
    Operation("config check", "say what is wrong with settings", "records.settings:ConfigRequest", "engine.settings:check"),
    Operation("artifact show", "show a large tool result", "records.artifact:ArtifactRequest", "engine.artifacts.kept:show"),
    Operation("artifact search", "find text in a large tool result", "records.artifact:ArtifactSearchRequest", "engine.artifacts.kept:search"),
    Operation("artifact verify", "check kept tool results", "records.artifact:ArtifactVerifyRequest", "engine.artifacts.kept:verify", read_only=False),
    Operation("eval retention", "measure which exact values a plan keeps", "records.retention:RetentionRequest", "engine.planning.retention:retention"),
    Operation("plan diff", "compare what two planned calls sent", "records.planning:DiffRequest", "engine.planning.manifests:diff"),
    Operation("plan replay", "plan a past call again", "records.planning:ReplayRequest", "engine.planning.manifests:replay"),
    Operation("manifest list", "list the manifests of planned calls", "records.planning:ManifestsRequest", "engine.planning.manifests:listed"),
    Operation("manifest show", "show a manifest", "records.planning:ManifestRequest", "engine.planning.manifests:show"),
    Operation("manifest explain", "say in words what a call held", "records.planning:ManifestRequest", "engine.planning.manifests:explain"),
    Operation("manifest included", "list what a call held", "records.planning:ManifestRequest", "engine.planning.manifests:included"),
    Operation("manifest excluded", "list what stayed out of a call", "records.planning:ManifestRequest", "engine.planning.manifests:excluded"),
    Operation("pin", "keep a text in view of every call", "records.memory_requests:PinRequest", "engine.memory.commands:pin", read_only=False),
    Operation("unpin", "take a pin back", "records.memory_requests:UnpinRequest", "engine.memory.commands:unpin", read_only=False),
    Operation("pins", "list pins", "records.memory_requests:KeptRequest", "engine.memory.commands:pins"),
    Operation("memory list", "list what is remembered", "records.memory_requests:KeptRequest", "engine.memory.commands:memories"),
    Operation("memory search", "find pins and memories by their words", "records.memory_requests:KeptSearchRequest", "engine.memory.finding:find"),
    Operation("memory add", "remember a claim", "records.memory_requests:MemoryAddRequest", "engine.memory.commands:add", read_only=False),
    Operation("memory supersede", "replace a memory by a newer claim", "records.memory_requests:MemorySupersedeRequest", "engine.memory.commands:supersede", read_only=False),
    Operation("memory invalidate", "say that a memory was wrong", "records.memory_requests:MemoryEndRequest", "engine.memory.commands:invalidate", read_only=False),
    Operation("memory expire", "say that a memory no longer holds", "records.memory_requests:MemoryEndRequest", "engine.memory.commands:expire", read_only=False),
    Operation("memory sources", "list the logs that hold memory of a project", "records.memory_requests:MemorySourcesRequest", "engine.memory.sources:sources"),
    Operation("memory exclude", "let what a session keeps for its project stop counting", "records.memory_requests:MemoryExcludeRequest", "engine.memory.sources:exclude", read_only=False),
    Operation("memory include", "let an excluded session count again", "records.memory_requests:MemoryIncludeRequest", "engine.memory.sources:include", read_only=False),
    Operation("query list-sessions", "list sessions by exact conditions", "records.query_requests:ListSessionsRequest", "engine.sessions.queries:list_sessions"),
    Operation("query read-session", "read a session with all its events", "records.query_requests:ReadSessionRequest", "engine.sessions.queries:read_session"),
    Operation("query list-events", "list or scan the events of a session", "records.query_requests:ListEventsRequest", "engine.sessions.queries:list_events"),
    Operation("query read-event", "read an event with its neighbours", "records.query_requests:ReadEventRequest", "engine.sessions.queries:read_event"),
    Operation("query read-surface", "read what a model call would see", "records.query_requests:ReadSessionRequest", "engine.sessions.queries:read_surface"),
    Operation("query read-titles", "read the titles of sessions", "records.query_requests:ReadTitlesRequest", "engine.sessions.queries:read_titles"),
    Operation("query trace-event", "trace an event's replacements and sources", "records.query_requests:TraceEventRequest", "engine.sessions.queries:trace_event"),
    Operation("query trace-session", "trace a session's ancestors and descendants", "records.query_requests:ReadSessionRequest", "engine.sessions.queries:trace_session"),
    Operation("query search-sessions", "find sessions, completely or ranked", "records.query_requests:SearchSessionsRequest", "engine.sessions.queries:search_sessions"),
    Operation("query search-events", "find events, completely or ranked", "records.query_requests:SearchEventsRequest", "engine.sessions.queries:search_events"),
    Operation("storage", "report sizes and counts", "records.upkeep:StorageRequest", "engine.upkeep.storage:storage"),
    Operation("vacuum", "give unused space back to the disk", "records.upkeep:VacuumRequest", "engine.upkeep.vacuum:vacuum", read_only=False),
    Operation("project search", "find the source a request is about", "records.project_requests:ProjectSearchRequest", "engine.project.operations:search"),
    Operation("project index", "bring a project's index up to date", "records.project_requests:ProjectIndexRequest", "engine.project.operations:index", read_only=False),
    Operation("project status", "say whether a project is trusted and indexed", "records.project_requests:ProjectStatusRequest", "engine.project.operations:status"),
    Operation("project trust", "allow a project's files to be read", "records.project_requests:ProjectTrustRequest", "engine.project.operations:trust", read_only=False),
    Operation("project untrust", "take trust back and delete the index", "records.project_requests:ProjectUntrustRequest", "engine.project.operations:untrust", read_only=False),
    Operation("project files", "list a project's indexed files", "records.project_requests:ProjectFilesRequest", "engine.project.operations:files"),
    Operation("project symbols", "list declarations of a file or a name", "records.project_requests:ProjectSymbolsRequest", "engine.project.operations:symbols"),
    Operation("project show", "show lines of a live file", "records.project_requests:ProjectShowRequest", "engine.project.operations:show"),
    Operation("project eval", "measure search on the repository's own history", "records.project_requests:ProjectEvalRequest", "engine.project.operations:evaluate"),
    Operation("project watch", "keep a project's index warm", "records.project_requests:ProjectWatchRequest", "engine.project.operations:watch", read_only=False),
    Operation("pi install", "put Backstory into the Pi coding agent", "records.extension:InstallRequest", "engine.pi.extension:install", read_only=False),
    Operation("pi uninstall", "take Backstory out of Pi again", "records.extension:UninstallRequest", "engine.pi.extension:uninstall", read_only=False),
    Operation("pi status", "say where Backstory is installed in Pi", "records.extension:PiStatusRequest", "engine.pi.extension:status"),
    Operation("pi doctor", "find out what keeps Backstory from working in Pi", "records.extension:DoctorRequest", "engine.pi.doctor:doctor"),
)  # fmt: skip


def find(words: list[str]) -> tuple[Operation, int] | None:
    """The operation that the first words name, and how many of them its name takes; the longest name wins."""
    names = {operation.name: operation for operation in OPERATIONS}
    for count in (2, 1):
        if len(words) >= count and (operation := names.get(" ".join(words[:count]))):
            return operation, count
    return None


def request_type(operation: Operation) -> type[Any]:
    """The request record of an operation."""
    loaded: type[Any] = load(operation.request)
    return loaded


def about(operation: Operation) -> str:
    """What an operation does, in a sentence: the text of its request, unless other operations take the same."""
    told = request_type(operation).__doc__
    shared = sum(one.request == operation.request for one in OPERATIONS) > 1
    return f"{operation.summary[:1].upper()}{operation.summary[1:]}." if shared or not told else told


def handler(operation: Operation) -> Callable[[Any, Any], Any]:
    """The function that carries an operation out, given an engine and a request."""
    loaded: Callable[[Any, Any], Any] = load(operation.handler)
    return loaded
