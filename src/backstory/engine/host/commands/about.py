"""What a command of a host is about, found when it is asked for: settings, the session, its newest planned call."""

from functools import cached_property
from pathlib import Path

from backstory.engine import settings
from backstory.engine.host import hosted
from backstory.engine.host.appending import COMMAND_LINE
from backstory.engine.host.hosted import Hosted
from backstory.engine.open import Engine
from backstory.engine.planning.manifests import named
from backstory.engine.project import access
from backstory.engine.trust import is_trusted
from backstory.errors import ProjectError, UsageError, quoted
from backstory.project.root import canonical
from backstory.records.host import HostCall, Say
from backstory.records.manifest import Manifest
from backstory.records.project import ProjectStatus
from backstory.records.settings import Loaded
from backstory.store import manifests
from backstory.text.charts import bounded, plain

MOST_LINES, MOST_CHARS = 80, 16_000


class About:
    """One command: the engine, the call, and lazily what it needs to know."""

    def __init__(self, engine: Engine, call: HostCall) -> None:
        self.engine = engine
        self.call = call

    @cached_property
    def settings(self) -> Loaded:
        """What a person set."""
        return settings.effective(self.engine, self.call.cwd or None, trusted=self.call.trusted)

    @cached_property
    def session(self) -> Hosted:
        """The session; raises `UnknownSessionError` while nothing of it is on disk."""
        return hosted.hosted(self.engine, self.call, self.settings)

    @property
    def name(self) -> str:
        """The session as source:id."""
        return f"{self.call.source}:{self.call.session}"

    @property
    def shell(self) -> bool:
        """Whether a person asks in a shell, where commands are written in another way."""
        return self.call.mode == COMMAND_LINE

    def manifest(self, name: str | None = None) -> Manifest:
        """The manifest of this id or beginning of one, or the newest of the session.

        Raises:
            UsageError: there is none.
        """
        if name:
            found = named(self.engine, name)
            if found is None or found.session != self.name:
                raise UsageError(f"no planned call of this session is called {quoted(name)}")
            return found
        newest = self.manifests(1)
        if not newest:
            raise UsageError("no call of this session has been planned yet")
        return newest[0]

    def manifests(self, most: int) -> list[Manifest]:
        """The newest manifests of the session, kept or passing, the newest first."""
        history = self.engine.history
        stored = [manifests.get(history, row.id) for row in manifests.calls(history, self.name, most)]
        found = [*self.engine.unsaved.calls(self.name), *(one for one in stored if one is not None)]
        return sorted(found, key=lambda one: one.created, reverse=True)[:most]


def readable(about: About, made: Manifest) -> bool:
    """Whether the project that a call quotes is trusted; in a shell that may be any, in a host it is the host's."""
    return is_trusted(about.engine.home, made.project) if about.shell else about.call.trusted


def indexed(about: About) -> ProjectStatus | None:
    """What the index holds of the trusted project of a call; None where it has no index, or can have none."""
    try:
        root = canonical(Path(about.call.cwd))
        database = access.database(about.engine.home, root)
        return access.status(about.engine.home, root, trusted=True) if database.exists() else None
    except (ProjectError, ValueError):
        return None


def told(lines: list[str], data: object = None, level: str = "info") -> Say:
    """Lines as the answer to a command: bounded, and without anything that steers a terminal."""
    text = plain("\n".join(bounded(lines, MOST_LINES)))
    if len(text) > MOST_CHARS:
        text = text[: MOST_CHARS - 1] + "…"
    return Say(text, level, data)
