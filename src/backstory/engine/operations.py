"""The table of operations: what Backstory can be asked. Command line, RPC, MCP and web are all derived from it.

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
    Operation("index", "read what is new in all agents' sessions", "records.indexing:IndexRequest", "engine.index:index", read_only=False),
    Operation("search", "find sessions and entries", "records.searching:SearchRequest", "engine.search:find"),
    Operation("sessions", "list sessions, the latest first", "records.browsing:SessionsRequest", "engine.browse:sessions"),
    Operation("show", "show a session or an entry", "records.browsing:ShowRequest", "engine.browse:show"),
    Operation("sources", "say where sessions were looked for", "records.sources:SourcesRequest", "engine.sources:sources"),
    Operation("verify", "hash whole files again", "records.upkeep:VerifyRequest", "engine.upkeep:verify", read_only=False),
    Operation("forget", "drop sessions from the index for good", "records.upkeep:ForgetRequest", "engine.upkeep:forget", read_only=False),
    Operation("rebuild", "delete everything derived and index again", "records.indexing:RebuildRequest", "engine.index:rebuild", read_only=False),
    Operation("health", "check the index", "records.upkeep:HealthRequest", "engine.upkeep:health"),
    Operation("storage", "report sizes and counts", "records.upkeep:StorageRequest", "engine.upkeep:storage"),
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


def handler(operation: Operation) -> Callable[[Any, Any], Any]:
    """The function that carries an operation out, given an engine and a request."""
    loaded: Callable[[Any, Any], Any] = load(operation.handler)
    return loaded
