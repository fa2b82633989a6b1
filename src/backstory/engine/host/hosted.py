"""The session a host calls about: its log brought into the index, its branch, what is kept, and what may be shown.

Commands and tools of a host start here. Planning a call does not; it follows the log itself (`engine.transcripts`).
"""

import msgspec

from backstory.engine import context, settings, transcripts
from backstory.engine.context import Context
from backstory.engine.indexing.index import forgotten
from backstory.engine.memory import state as memory_state
from backstory.engine.open import Engine
from backstory.engine.transcript.session import Transcript
from backstory.errors import UnknownSessionError
from backstory.index.reconcile import PlacedLog, reconcile
from backstory.privacy import policy as rules
from backstory.privacy.policy import Guard
from backstory.privacy.secrets import redact
from backstory.records.host import HostCall
from backstory.records.manifest import Manifest
from backstory.records.memory import Fold
from backstory.records.settings import Loaded
from backstory.sources import registry
from backstory.sources.prints import stamp
from backstory.store import browse, copies, manifests, sessions


class Hosted(msgspec.Struct):
    """One call of a host, its session as the index has it now, and the settings that hold for it."""

    engine: Engine
    call: HostCall
    context: Context
    settings: Loaded

    @property
    def name(self) -> str:
        """The session as source:id."""
        return self.context.session

    @property
    def project(self) -> str | None:
        """The working folder, when the host says that it is trusted."""
        return self.context.row.cwd if self.call.trusted else None

    def kept(self) -> Fold:
        """All pins and memories that are known here."""
        return memory_state.kept(self.engine, self.context, self.settings.config.memory, trusted=self.call.trusted)

    def manifest(self) -> Manifest | None:
        """The newest manifest of the session."""
        return manifests.latest(self.engine.history, self.name)

    @property
    def provider(self) -> str:
        """The provider of the host's model, empty when there is none."""
        return self.call.model.provider if self.call.model is not None else ""

    def guard(self, *, always: bool = False) -> Guard:
        """What the model of this call may see; with `always`, levels count even where the person has no policy."""
        policy = self.settings.config.privacy
        applied = msgspec.structs.replace(policy, enabled=True) if always else policy
        return Guard(applied, rules.destination(applied, self.provider))


def hosted(engine: Engine, call: HostCall, known: Loaded | None = None) -> Hosted:
    """The session of a call.

    Raises:
        UnknownSessionError: nothing of it is on disk yet.
        AmbiguousSessionError: the host's id names several sessions.
        DatabaseError: the index cannot be used.
    """
    bring(engine, call)
    with engine.history.read():
        transcript = _transcript(engine, call)
        leaf = transcript.position(call.leaf) if call.leaf is not None else None
        given = context.seen(transcript, transcript.active() if leaf is None else leaf, hard=0)
    return Hosted(engine, call, given, known or settings.effective(engine, call.cwd or None, trusted=call.trusted))


def _transcript(engine: Engine, call: HostCall) -> Transcript:
    """The session in the host's own file, else the one of this id; copies of it may lie in other files."""
    name = f"{call.source}:{call.session}"
    here = sessions.by_path(engine.history, call.file) if call.file else None
    if here is not None and (here.source, here.facts.id) == (call.source, call.session):
        return transcripts.stored(engine, here.key, browse.by_keys(engine.history, [here.key])[here.key])
    found = transcripts.named(engine, name) if call.session else None
    if found is None or found.row.session_id != call.session:
        raise UnknownSessionError(name)
    return found


def bring(engine: Engine, call: HostCall) -> None:
    """Read what the log of a call gained into the index; a log that is not there, or was forgotten, changes nothing.

    Raises:
        UnreadableSourceError: it is there and cannot be read.
        DatabaseError: the index cannot be written.
    """
    history = engine.history
    if call.file is None or not _exists(call.file):
        return
    with history.read():
        known = sessions.by_path(history, call.file)
    if known is not None and not known.missing and known.checkpoint.stamp == stamp(call.file):
        return
    source = registry.load(call.source)
    with history.write("index a session"):
        # Asked under the lock: whoever forgets a session writes that down first.
        if known is None and _forgotten(engine, call):
            return
        root = sessions.root(history, call.source, call.file)
        outcome = reconcile(history, PlacedLog(source, call.file, root), lambda: False)
        changed = {outcome.key: outcome.first} if outcome.first is not None else {}
        copies.mark(history, changed | dict.fromkeys(outcome.touched, 0))


def _forgotten(engine: Engine, call: HostCall) -> bool:
    paths, names = forgotten(engine)
    return call.file in paths or (call.source, call.session) in names


def _exists(path: str) -> bool:
    try:
        stamp(path)
    except Exception:  # noqa: BLE001 - whatever keeps a log from being looked at, there is nothing to read
        return False
    return True


def encodable(text: str) -> str:
    """A text that can be stored and searched for: without lone surrogates and NULs."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def shown(guard: Guard, text: str, level: str | None = None) -> tuple[str | None, str]:
    """A text as a model may see it (None when a part of it may not), and its level; secrets are always replaced."""
    admitted, passage = guard.admit(text, level)
    return (None if admitted is None else redact(admitted)[0]), passage.level
