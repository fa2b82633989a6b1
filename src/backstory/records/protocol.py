"""What a host sends and gets besides commands and tools: the list of a model call, news of the session, a handshake.

`records.host` holds the state that goes with every request and the steps by which commands and tools are answered.
"""

from typing import Any, Literal

import msgspec

from backstory.records.base import Record
from backstory.records.budget import Usage
from backstory.records.host import Answer, HostCall

PROTOCOL = 1
# What either side may leave out: edits that name those of an earlier answer, and requests that take back another.
AGAIN, INSTEAD = "again", "instead"
CAPABILITIES = (AGAIN, INSTEAD)


class Initialize(Record, frozen=True):
    """Who is calling: the protocol it speaks, the version of its side, and which of `CAPABILITIES` it has."""

    protocol: int = PROTOCOL
    version: str | None = None
    capabilities: tuple[str, ...] = ()


class Hello(Record, frozen=True):
    """Who answers, and which of `CAPABILITIES` it has.

    `guarded` says that a privacy policy has to be enforced on every request.
    """

    protocol: int
    version: str
    capabilities: tuple[str, ...] = ()
    guarded: bool = False


class Around(Record, frozen=True):
    """Characters that go with a request beside its messages, and the names of the tools among them, if told."""

    system: int = 0
    tools: int = 0
    names: tuple[str, ...] | None = None


class ContextRequest(Record, frozen=True):
    """The messages a host is about to send, as names "entry id:digest"; the first `keep` are those of the last request.

    The digest is the beginning of the hash of the entry's line in the file, or of the message itself where that is
    not what the file holds; the id is empty for a message of no entry. `messages` holds what was asked for by `need`,
    `base` is the manifest of the last answer whose edits the host carried out, and `instead` takes back the request
    before this one, whose list was a wrong guess. `switch` is how the model was chosen, where that happened since the
    last call: set, cycle or restore.
    """

    call: HostCall
    keep: int
    entries: tuple[str, ...]
    messages: dict[int, msgspec.Raw] = msgspec.field(default_factory=dict)
    fixed: Around = Around()
    base: str | None = None
    instead: bool = False
    switch: Literal["set", "cycle", "restore"] | None = None


class ContextAnswer(Record, frozen=True, omit_defaults=True):
    """What to do with the messages: nothing when `edits` is None.

    Each edit is one of {"keep": n}, {"drop": n}, {"insert": text}, {"replace": fields} and {"again": n}: the n-th
    edit, from 0, among those of the answer `base` that insert or replace. With `need` nothing was decided yet: the
    messages at these positions are to be sent along with the request repeated. `guarded` says that a privacy policy
    has to be enforced on the payload too.
    """

    edits: tuple[dict[str, Any], ...] | None = None
    need: tuple[int, ...] = ()
    manifest: str | None = None
    guarded: bool = False


class CommandRequest(Record, frozen=True):
    """A command that a person typed, without its name."""

    call: HostCall
    line: str = ""


class ToolRequest(Record, frozen=True):
    """A tool that the model called."""

    call: HostCall
    name: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


class Resume(Record, frozen=True):
    """How a step went."""

    token: str
    answer: Answer


class PayloadRequest(Record, frozen=True):
    """A request as the provider would get it; `manifest` is that of the planned call it is made for, if it is one."""

    call: HostCall
    payload: Any
    manifest: str | None = None


class PayloadAnswer(Record, frozen=True):
    """What to send instead, None when the payload may go as it is; the rest counts what was done."""

    payload: Any = None
    blocked: int = 0
    secrets: int = 0
    inspected: int = 0


class Answered(Record, frozen=True):
    """What the provider counted for a planned call."""

    call: HostCall
    manifest: str
    usage: Usage


class Changed(Record, frozen=True):
    """Files that a tool wrote; None when it may have written any."""

    call: HostCall
    paths: tuple[str, ...] | None = None


class SessionNews(Record, frozen=True):
    """Something happened to the session: start, tree, compact, model or settled."""

    call: HostCall
    event: str
