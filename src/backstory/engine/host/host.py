"""The root of a host process: one object whose methods are what a host can ask, whatever carries the questions.

It keeps the running call's token, what is remembered of sessions, and work for quiet moments. One thread calls it;
`cancel` alone may be called from any.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from backstory import __version__
from backstory.engine.host.sessions import Sessions
from backstory.engine.host.work import Work
from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.errors import BackstoryError, UsageError
from backstory.records.host import HostCall, Step
from backstory.records.protocol import (
    CAPABILITIES,
    PROTOCOL,
    Answered,
    Changed,
    CommandRequest,
    ContextAnswer,
    ContextRequest,
    Hello,
    Initialize,
    PayloadAnswer,
    PayloadRequest,
    Resume,
    SessionNews,
    ToolRequest,
)
from backstory.store.cancel import NEVER, Token

GUARD = "guarded"


class Host:
    """One host process over one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.sessions = Sessions()
        self.work = Work(engine)
        self.indexed: set[str] = set()
        self.capabilities: frozenset[str] = frozenset()
        self._held: Callable[[], object] | None = None
        self._payloads: list[tuple[PayloadRequest, PayloadAnswer]] = []
        self._token: Token = NEVER
        engine.cancelled = self._stopped

    def begin(self, deadline_ms: int | None) -> None:
        """A call starts: it may take so long, None for any time.

        What is still to be kept of an earlier call belongs to the database that it was planned with.
        """
        if not self.holds and not self.work.waits("manifest") and not self.work.waits("payload"):
            self.engine.refresh()
        self._token = Token(deadline_ms)

    def end(self) -> None:
        """The call is over."""
        self._token = NEVER

    def cancel(self) -> None:
        """Stops the running call, a running SQL statement included."""
        token = self._token
        if token is not NEVER:
            token.cancel()
            self.engine.interrupt()

    def idle(self, busy: Callable[[], bool]) -> bool:
        """Does a piece of waiting work; False when there is none."""
        return self.work.run(busy)

    def finish(self) -> None:
        """The host has gone; what the last call left to be kept is kept."""
        self._keep(now=True)
        self.work.now("payload")

    def initialize(self, request: Initialize) -> Hello:
        """Shakes hands. What a first call needs is loaded once the answer is out.

        Raises:
            UsageError: the other side speaks another protocol.
        """
        if request.protocol != PROTOCOL:
            raise UsageError(f"this is protocol {PROTOCOL}, not {request.protocol}; run: backstory pi install")
        self.work.add("load", lambda: load("engine.host.contexts:warm")(self))
        self.capabilities = frozenset(request.capabilities)
        return Hello(PROTOCOL, __version__, CAPABILITIES, self._guarded())

    def hold(self, job: Callable[[], object]) -> None:
        """What is to be kept of the call just planned, as soon as the host is known to have made that call."""
        self._held = job

    @property
    def holds(self) -> bool:
        """Whether something is to be kept as soon as the host goes on."""
        return self._held is not None

    def release(self) -> None:
        """It has been quiet for so long that the host has gone on."""
        self._keep()

    def drop(self) -> None:
        """The call just planned is not made."""
        self._held = None

    def context(self, request: ContextRequest) -> ContextAnswer:
        """Plans a call."""
        if request.instead:
            self.drop()
        self._keep(now=True)
        answer: ContextAnswer = load("engine.host.contexts:answer")(self, request)
        return answer

    def command(self, request: CommandRequest) -> Step:
        """Carries out a command."""
        self._keep(now=True)
        self.work.now("payload")
        step: Step = load("engine.host.commands:run")(self.engine, request.call, request.line)
        return step

    def tool(self, request: ToolRequest) -> Step:
        """Carries out a tool of the model."""
        self._keep()
        step: Step = load("engine.host.tools:run")(self.engine, request.call, request.name, request.arguments)
        return step

    def resume(self, request: Resume) -> Step:
        """Goes on with a command or tool after one of its steps."""
        step: Step = load("engine.host.resume:resume")(self.engine, request.token, request.answer)
        return step

    def payload(self, request: PayloadRequest) -> PayloadAnswer:
        """Enforces the privacy policy on a request as the provider would get it."""
        answer: PayloadAnswer = load("engine.host.payloads:checked")(self.engine, request)
        if request.manifest is not None and (answer.inspected or answer.blocked):
            self._keep()
            bare = msgspec.structs.replace(request, payload=None)
            self._payloads.append((bare, msgspec.structs.replace(answer, payload=None)))
            self.work.add("payload", self._note_payloads)
        return answer

    def answered(self, request: Answered) -> None:
        """Notes what a provider counted."""
        self._keep(now=True)
        # Of a session in memory only calls of this process may learn, as nothing of it may be written.
        if not request.call.ephemeral or self.engine.unsaved.get(request.manifest) is not None:
            load("engine.planning.manifests:answered")(self.engine, request.manifest, request.usage)

    def changed(self, request: Changed) -> None:
        """Brings a project's index up to date after a tool wrote files."""
        self._keep()
        load("engine.host.news:changed")(self, request.call, request.paths)

    def session(self, request: SessionNews) -> None:
        """Takes note of what happened to a session."""
        self._keep()
        load("engine.host.news:session")(self, request.call, request.event)

    def _keep(self, *, now: bool = False) -> None:
        """The host goes on, so the call planned last was made: its manifest is kept, at once or in a quiet moment."""
        held, self._held = self._held, None
        if held is not None:
            self.work.add("manifest", held)
        if now:
            self.work.now("manifest")

    def _note_payloads(self) -> None:
        """What was checked on its way out becomes part of manifests, which have to be kept first."""
        self.work.now("manifest")
        while self._payloads:
            load("engine.host.payloads:note")(self.engine, *self._payloads.pop(0))

    def _stopped(self) -> bool:
        return self._token.stopped()

    def _guarded(self) -> bool:
        """Whether a person's privacy policy is on; a mark on disk says so to hosts that cannot reach us."""
        policy: Any = load("config.load:load")(self.engine.home, self.engine.env).config.privacy
        mark = Path(self.engine.home, GUARD)
        with suppress(OSError, BackstoryError):
            if policy.enabled:
                os.makedirs(self.engine.home, mode=0o700, exist_ok=True)
                mark.touch(mode=0o600)
            else:
                mark.unlink(missing_ok=True)
        return bool(policy.enabled)


def folder(call: HostCall) -> Path | None:
    """The working folder of a call whose project the host trusts."""
    return Path(call.cwd) if call.trusted and call.cwd else None
