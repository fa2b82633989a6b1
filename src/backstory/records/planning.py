"""What a plan is asked and what it answers: the shapes every surface shares. Sizes are tokens."""

from typing import Annotated, Any

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.manifest import Manifest
from backstory.records.problem import Problem


class PlanRequest(Record, frozen=True, kw_only=True):
    """Plan the context of a session's next (or a past) model call."""

    session: Annotated[str, Help(description="session id, unique prefix, or source:id", extra={"positional": True})]
    at: Annotated[str | None, Help(description="plan the call that this entry answered")] = None
    request: Annotated[str | None, Help(description="what the user asks next")] = None
    budget: Annotated[int | None, Help(description="tokens that all messages together may use")] = None
    window: Annotated[int | None, Help(description="the model's context window in tokens")] = None
    model: Annotated[str | None, Help(description="the model, as PROVIDER/ID")] = None
    max_output: Annotated[int | None, Help(description="tokens the model can answer with")] = None
    fixed: Annotated[int, Help(description="tokens of the system prompt and the tools")] = 0
    project: Annotated[str | None, Help(description="also quote source of this trusted project")] = None
    placement: Annotated[str, Help(description="latest-user, stable-prefix or hybrid")] = "latest-user"
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
    """The messages of a call in sending order, and the manifest that explains them."""

    messages: tuple[PlannedMessage, ...]
    manifest: Manifest
    problems: tuple[Problem, ...] = ()
