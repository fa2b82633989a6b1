"""The parts of DSH's records that matter; everything else is skipped while decoding.

The data of an event is decoded only when its type has something to say, so stream chunks cost next to nothing. Read
by `parse` and `message` next to this module.
"""

from typing import Any

import msgspec


class Block(msgspec.Struct, gc=False, rename="camel"):
    """One content block; a tool result holds blocks of its own."""

    type: str = ""
    text: str = ""
    id: str | None = None
    name: str = ""
    arguments: Any = None
    tool_call_id: str | None = None
    content: "str | list[Block] | None" = None
    is_error: bool | None = None


Content = str | list[Block] | None


class Author(msgspec.Struct, gc=False):
    """Who a message is from."""

    kind: str = ""
    provider: str | None = None
    model: str | None = None


class Message(msgspec.Struct, gc=False):
    """A message of any role."""

    id: str | None = None
    content: Content = None
    source: Author | None = None


class Failure(msgspec.Struct, gc=False):
    """What went wrong."""

    name: Any = None
    code: Any = None
    message: Any = None


class Diff(msgspec.Struct, gc=False):
    """A change that a tool made to a file."""

    path: str = ""


class Meta(msgspec.Struct, gc=False):
    """Details of a tool result that the model does not see."""

    diffs: list[Diff] = []


class Said(msgspec.Struct, gc=False, rename="camel"):
    """The data of a message or tool event; a person's message is the data itself."""

    id: str | None = None
    content: Content = None
    source: Author | None = None
    message: Message | None = None
    call_id: str | None = None
    name: str = ""
    arguments: Any = None
    error: Failure | None = None
    meta: Meta | None = None
    is_error: bool | None = None

    @property
    def said(self) -> Message:
        """The message itself."""
        return self.message or Message(self.id, self.content, self.source)


class Todo(msgspec.Struct, gc=False):
    """One item of a task list."""

    status: str = ""
    content: str = ""


class Todos(msgspec.Struct, gc=False):
    """The data of a task list event."""

    todos: list[Todo] = []


class End(msgspec.Struct, gc=False):
    """The data of a turn's end; old records give the reason as a word."""

    reason: Any = None


class Title(msgspec.Struct, gc=False):
    """The data of a title event."""

    title: str = ""


class Config(msgspec.Struct, gc=False):
    """Which model a request goes to."""

    provider: str | None = None
    model: str | None = None


class RequestHeader(msgspec.Struct, gc=False):
    """The part of a request that does not change from call to call."""

    config: Config | None = None


class Request(msgspec.Struct, gc=False):
    """The data of a request event."""

    header: RequestHeader | None = None
    provider: str | None = None
    model: str | None = None


class Packed(msgspec.Struct, gc=False):
    """The data of a row that packs many stream chunks."""

    texts: list[msgspec.Raw] | None = None
    args: list[msgspec.Raw] | None = None


class Line(msgspec.Struct, gc=False, rename="camel"):
    """What a line says beside its data: the header, or an event."""

    type: str = ""
    seq: Any = None
    seq0: Any = None
    time: Any = None
    time0: Any = None
    surface_op: Any = None
    source_event_seqs: Any = None
    id: str | None = None
    version: Any = None
    created_at: Any = None
    cwd: str | None = None
    parent_session: str | None = None
    seed_length: int | None = None
    origin: str | None = None
    delegation_depth: int | None = None
    agent_preset: str | None = None


class Row(Line, gc=False, rename="camel"):
    """A line whose data is not decoded yet."""

    data: msgspec.Raw = msgspec.Raw()


class Told(Line, gc=False, rename="camel"):
    """A line with the data of a message or tool event."""

    data: Said | None = None


class Peek(msgspec.Struct, gc=False, rename="camel"):
    """As much of a line as tells whose it is."""

    type: str = ""
    created_at: Any = None
    seq: Any = None
    time: Any = None
    data: Any = None


class Numbered(msgspec.Struct, gc=False):
    """The number of a line."""

    seq: int | None = None
    seq0: int | None = None


row = msgspec.json.Decoder(Row)
told = msgspec.json.Decoder(Told)
peeker = msgspec.json.Decoder(Peek)
numbered = msgspec.json.Decoder(Numbered)
said = msgspec.json.Decoder(Said)
todos = msgspec.json.Decoder(Todos)
end = msgspec.json.Decoder(End)
title = msgspec.json.Decoder(Title)
request = msgspec.json.Decoder(Request)
packed = msgspec.json.Decoder(Packed)
