"""What is remembered of a host's sessions from call to call: the list it sent last, and messages its log does not hold.

All of it is in memory and bounded by that list; nothing of it is ever written.
"""

from collections.abc import Mapping, Sequence

import msgspec

from backstory.engine.host.edits import Edit, repeated
from backstory.engine.transcript.session import Transcript
from backstory.errors import UsageError
from backstory.records.message import Message

MOST_SESSIONS = 8


class Given(msgspec.Struct):
    """A message that came with a request: as the host has it, and in canonical form."""

    raw: bytes
    message: Message


class HostSession(msgspec.Struct):
    """One session: the names "entry id:digest" of its last list, and by digest the messages that were sent along.

    `places` are the numbers of the list's entries in the transcript `held`, None where a message is not what the log
    holds; `unwritten` stands for the log as long as there is none. `told` are the edits of the answer `answer` that the
    host may be told again by number.
    """

    names: list[str] = []
    given: dict[str, Given] = {}
    places: list[int | None] = []
    held: Transcript | None = None
    unwritten: Transcript | None = None
    answer: str | None = None
    told: list[bytes] = []

    def take(self, keep: int, entries: tuple[str, ...]) -> list[str]:
        """The list of a request, of which the first `keep` names are those of the last one.

        Raises:
            UsageError: there are not so many; the host has to send all of them.
        """
        if not 0 <= keep <= len(self.names):
            raise UsageError(f"the last list had {len(self.names)} messages, not {keep}")
        self.names = [*self.names[:keep], *entries]
        del self.places[keep:]
        return self.names

    def placed(self, transcript: Transcript) -> list[int | None]:
        """The numbers of the list's entries in a transcript of the log.

        A transcript only grows, so that what it did not hold is looked for again, and nothing else.
        """
        if transcript is not self.held:
            self.held, self.places = transcript, []
        if None in self.places:
            known = zip(self.names, self.places, strict=False)
            self.places = [_place(transcript, name) if at is None else at for name, at in known]
        self.places += [_place(transcript, name) for name in self.names[len(self.places) :]]
        return self.places

    def tell(self, found: Sequence[Edit], answer: str, base: str | None) -> tuple[Edit, ...]:
        """The edits of an answer to a host that still has those of the answer `base`."""
        known = self.told if base is not None and base == self.answer else ()
        short, self.told = repeated(found, known)
        self.answer = answer
        return short

    def learn(self, messages: Mapping[int, Given]) -> None:
        """Remember messages by their position in the list, and forget those that are in it no longer."""
        for at, one in messages.items():
            self.given[digest(self.names[at])] = one
        if len(self.given) > 2 * len(self.names) + 16:
            wanted = set(map(digest, self.names))
            self.given = {name: one for name, one in self.given.items() if name in wanted}


class Sessions:
    """The sessions of one host process, of which there is rarely more than one."""

    def __init__(self) -> None:
        self._seen: dict[str, HostSession] = {}

    def of(self, session: str) -> HostSession:
        """What is remembered of a session."""
        seen = self._seen.pop(session, None) or HostSession()
        self._seen[session] = seen
        while len(self._seen) > MOST_SESSIONS:
            del self._seen[next(iter(self._seen))]
        return seen


def _place(transcript: Transcript, name: str) -> int | None:
    """The number of an entry in a transcript, None where it holds another message, or none, of that name."""
    id_, _, mark = name.rpartition(":")
    at = transcript.position(id_) if id_ else None
    return at if at is not None and transcript.entries[at].hash.hex().startswith(mark) else None


def entry_id(name: str) -> str:
    """The entry that a name speaks of, empty for a message of none."""
    return name.rpartition(":")[0]


def digest(name: str) -> str:
    """The digest in a name."""
    return name.rpartition(":")[2]
