"""What waits for a host or a model: open questions, references and revisions given out, appends of unknown end.

All of it lives in memory only, is bounded, and forgets by itself. After a restart nothing is left of it, so a token or
reference of an earlier process is simply unknown. Neighbours: `engine.host.resume` goes on after an answer.
"""

import hashlib
import hmac
import os
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from backstory.records.base import Record
from backstory.records.host import Answer, Confirmed, HostCall, Step

T = TypeVar("T")
MINUTE = 60_000
LONGEST_NAME = 128


class Expiring(Generic[T]):
    """Values under random names, at most `most` of them, each for `life` milliseconds; the oldest make room."""

    def __init__(self, prefix: str, *, most: int, life: int) -> None:
        self._prefix = prefix
        self._most = most
        self._life = life
        self._held: dict[str, tuple[int, T]] = {}

    def put(self, value: T, now: int) -> str:
        """Hold a value from now on; gives its name."""
        name = self._prefix + urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        while len(self._held) >= self._most:
            del self._held[next(iter(self._held))]
        self._held[name] = (now + self._life, value)
        return name

    def look(self, name: object, now: int) -> tuple[str, T | None]:
        """("held", value), ("expired", None) or ("unknown", None)."""
        if not isinstance(name, str) or len(name) > LONGEST_NAME or name not in self._held:
            return "unknown", None
        end, value = self._held[name]
        return ("held", value) if now < end else ("expired", None)

    def take(self, name: object, now: int) -> tuple[str, T | None]:
        """As `look`; whatever was held under the name is held no longer."""
        found = self.look(name, now)
        if isinstance(name, str):
            self._held.pop(name, None)
        return found

    def __len__(self) -> int:
        return len(self._held)


class AwaitedStep(Record, frozen=True):
    """A step that a host carries out now. `then` goes on with its answer, which has to be of the type `expects`."""

    session: str
    expects: type[Any]
    then: Callable[[Any], Step]


class EntryReference(Record, frozen=True):
    """One entry that a model may read: `session` is the one it was given out in, `owner` the one the entry is in."""

    session: str
    owner: str
    key: int
    seq: int
    hash: bytes
    scope: str


class Pending:
    """Everything of one engine that waits."""

    def __init__(self) -> None:
        self.questions: Expiring[AwaitedStep] = Expiring("ask_", most=64, life=30 * MINUTE)
        self.appends: Expiring[AwaitedStep] = Expiring("add_", most=64, life=24 * 60 * MINUTE)
        self.references: Expiring[EntryReference] = Expiring("src_", most=512, life=10 * MINUTE)
        self.sources: Expiring[tuple[str, str]] = Expiring("source_", most=1_024, life=15 * MINUTE)
        self._issued: dict[str, tuple[int, str]] = {}
        self.doubtful: dict[str, dict[str, Any]] = {}
        self._secret = os.urandom(32)

    def ask(self, call: HostCall, expects: type[Answer], then: Callable[[Any], Step], now: int) -> str:
        """Hold a continuation until the host answers; gives the token to ask under."""
        held = self.questions if expects is Confirmed else self.appends
        return held.put(AwaitedStep(f"{call.source}:{call.session}", expects, then), now)

    def doubt(self, write: str, data: dict[str, Any]) -> None:
        """Note that a write may have happened, so that the same write, asked for again, is made under the same ids."""
        while len(self.doubtful) >= 256:
            del self.doubtful[next(iter(self.doubtful))]
        self.doubtful[write] = data

    def issue(self, revision: str, leaf: str, now: int) -> None:
        """Remember a revision as given out at a leaf; it is good for a quarter of an hour."""
        while len(self._issued) >= 4_096:
            del self._issued[next(iter(self._issued))]
        self._issued[revision] = (now + 15 * MINUTE, leaf)

    def issued(self, revision: str, now: int) -> str | None:
        """The leaf that a revision was given out at; None when it was not, or is not good any more."""
        end, leaf = self._issued.get(revision, (0, ""))
        return leaf if now < end else None

    def seal(self, *parts: str) -> str:
        """A short code that only this process can make for these parts."""
        text = "\0".join(f"{len(part)}:{part}" for part in parts)
        code = hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
        return urlsafe_b64encode(code[:30]).decode().rstrip("=")
