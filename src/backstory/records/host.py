"""What a host and Backstory tell each other: the state a host calls with, and the steps by which it is answered.

A command or a model tool is answered by steps. A host carries a step out with its own means, tells how it went and is
given the next one, until `Say` ends it. So a host's side needs to know three steps and nothing of what they are for.
"""

from typing import Any

from backstory.records.base import Record
from backstory.records.budget import Model


class HostCall(Record, frozen=True, kw_only=True, rename="camel"):
    """The state of a host at the moment it calls; hosts send it with every request, because any of it may change.

    `file` is the session's log, None while there is none; `leaf` the entry the next call goes on from. `ui` says
    whether a person can be asked, `ephemeral` that nothing about this session may be kept. `used` are the tokens that
    the host believes to be in use.
    """

    source: str = "pi"
    session: str
    file: str | None = None
    leaf: str | None = None
    cwd: str
    trusted: bool = False
    mode: str = "print"
    ui: bool = False
    model: Model | None = None
    ephemeral: bool = False
    used: int | None = None


class NewEntry(Record, frozen=True, rename="camel"):
    """A custom entry to be appended to a host's log; `data` is any JSON value."""

    custom_type: str
    data: Any


class Say(Record, frozen=True, tag_field="step", tag="say", rename="camel"):
    """The end: a text for the person or the model. `level` is info, warning or error.

    `data` is any JSON value for programs: what a tool gives besides its text.
    """

    text: str
    level: str = "info"
    data: Any = None


class Confirm(Record, frozen=True, tag_field="step", tag="confirm", rename="camel"):
    """A person has to agree first; answered by `Confirmed` under the same token."""

    token: str
    title: str
    message: str


class Append(Record, frozen=True, tag_field="step", tag="append", rename="camel"):
    """The host has to append entries to its log, all at once; answered by `Appended` under the same token.

    With a `leaf` that is not the session's any more nothing is appended.
    """

    token: str
    entries: tuple[NewEntry, ...]
    leaf: str | None = None


Step = Say | Confirm | Append


class Confirmed(Record, frozen=True, tag_field="answer", tag="confirmed", rename="camel"):
    """What the person said, and the state of the host now; `aborted` when the question was taken back."""

    call: HostCall
    accepted: bool
    aborted: bool = False


class Appended(Record, frozen=True, tag_field="answer", tag="appended", rename="camel"):
    """Ids of the entries that the host appended, in order, and the state of the host now.

    `problem` is None when all were appended, "moved" when the leaf was another one and nothing was, "failed" when the
    host raised an error: how much was appended is then unknown.
    """

    call: HostCall
    entry_ids: tuple[str, ...] = ()
    problem: str | None = None


Answer = Confirmed | Appended
