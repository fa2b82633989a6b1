"""Small DSH stores on disk and a query service over them, for tests of the query service."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from backstory.engine.query.service import QueryService
from backstory.engine.state.live import Live
from backstory.index.live import LiveSessions
from backstory.records.live import LiveHeader
from backstory.records.query import EventHits, Mode, QueryOptions, SearchEvents, SearchSessions, SessionHits
from backstory.records.session import Draft
from backstory.sources.discover import Place

START = 1_760_000_000_000


def user(text: str, **more: Any) -> dict[str, Any]:
    """What a person typed."""
    content = [{"type": "text", "text": text}]
    data = {"role": "user", "source": {"kind": "user"}, "content": content}
    return {"type": "user/message", "data": data, "surfaceOp": "append", **more}


def assistant(*blocks: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """What a model wrote, in blocks."""
    message = {"role": "assistant", "source": {"kind": "model"}, "content": list(blocks)}
    return {"type": "assistant/message", "data": {"message": message}, "surfaceOp": "append", **more}


def said(text: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": text}


def result(text: str, call: str = "c1", **error: Any) -> dict[str, Any]:
    """What a tool answered."""
    content = [{"type": "tool-result", "toolCallId": call, "content": [said(text)]}]
    message = {"role": "user", "source": {"kind": "tool", "callId": call}, "content": content}
    return {"type": "tool/result", "data": {"message": message, **error}, "surfaceOp": "append"}


def lines(id_: str, events: Sequence[Mapping[str, Any]], first: int = 0, created: int = START) -> str:
    """Events as lines of a log; numbers and times follow from their place unless they are given."""
    rows = [{"seq": at, "time": created + at * 1000, **event} for at, event in enumerate(events, first)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def header(id_: str, created: int = START, **more: Any) -> str:
    """The first line of a log."""
    row = {"type": "session", "version": 0, "id": id_, "createdAt": created, "delegationDepth": 0, **more}
    return json.dumps(row) + "\n"


class Corpus:
    """A store below a folder, with a service whose database lies beside it."""

    def __init__(self, folder: Path, *, options: QueryOptions | None = None, path: str | None = None) -> None:
        self.folder = folder
        self.root = folder / "store"
        self.root.mkdir(exist_ok=True)
        self.path = path or str(folder / "history.db")
        self.options = options or QueryOptions()
        self.open()

    def open(self) -> None:
        """A new service over the same database, as after a restart."""
        sessions = LiveSessions()
        self.query = QueryService(self.path, sessions, [Place("dsh", str(self.root))], self.options)
        self.live = Live(sessions, self.query)

    def reopen(self) -> None:
        """Closes the service and opens it again."""
        self.query.close()
        self.open()

    def log(self, id_: str, root: Path | None = None) -> Path:
        """The file of a session."""
        return (root or self.root) / "project" / id_ / "session.jsonl"

    def put(
        self, id_: str, *events: Mapping[str, Any], created: int = START, root: Path | None = None, **head: Any
    ) -> None:
        """Writes a session and indexes it."""
        path = self.log(id_, root)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(header(id_, created, **head) + lines(id_, events, created=created), encoding="utf-8")
        if root is None:
            self.query.reconcile()

    def add(self, id_: str, *events: Mapping[str, Any], created: int = START) -> None:
        """Appends to a session and indexes that."""
        path = self.log(id_)
        first = len(path.read_text(encoding="utf-8").splitlines()) - 1
        with path.open("a", encoding="utf-8") as file:
            file.write(lines(id_, events, first, created))
        self.query.reconcile()

    def attach_text(self, id_: str, *texts: str, created: int | None = START) -> None:
        """Attaches a session in which a person typed some texts."""
        drafts = [
            Draft(kind="prompt", role="user", text=text, time=START + at * 1000, visible=True, entry_id=f"u{at}")
            for at, text in enumerate(texts)
        ]
        self.live.attach(LiveHeader("dsh", id_, created=created, rules="dsh"), drafts)

    def events(self, query: str, session: str | None = None, mode: Mode = Mode.LITERAL, **more: Any) -> EventHits:
        """Searches events."""
        return self.query.search_events(SearchEvents(query=query, session=session, mode=mode, **more))

    def sessions(self, query: str, mode: Mode = Mode.LITERAL, **more: Any) -> SessionHits:
        """Searches sessions."""
        return self.query.search_sessions(SearchSessions(query=query, mode=mode, **more))

    def seqs(self, query: str, session: str | None = None, mode: Mode = Mode.LITERAL, **more: Any) -> list[int]:
        """Numbers of the matching events, in order."""
        return [hit.seq for hit in self.events(query, session, mode, **more).items]

    def ids(self, query: str, mode: Mode = Mode.LITERAL, **more: Any) -> list[str]:
        """Ids of the matching sessions, in order."""
        return [hit.session.id for hit in self.sessions(query, mode, **more).items]
