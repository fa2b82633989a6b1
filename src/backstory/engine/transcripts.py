"""Asks an engine for the transcript of a session: as the history database has it, or as its log has it now."""

from backstory.engine import naming
from backstory.engine.open import Engine
from backstory.engine.transcript.session import Transcript
from backstory.records.browsing import SessionRow


def named(engine: Engine, name: str) -> Transcript:
    """The transcript of a stored session.

    Raises:
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    key, row = naming.session(engine, name)
    return stored(engine, key, row)


def stored(engine: Engine, key: int, row: SessionRow) -> Transcript:
    """The transcript of a session in the history database, as it stands there now."""
    return engine.transcripts.stored(engine.history, key, row)


def follow(engine: Engine, source: str, path: str) -> Transcript:
    """The transcript of a log, with what its file gained since it was last asked for; an index is not needed.

    Raises:
        UnreadableSourceError: the file cannot be read.
        UnknownSourceError: no agent is called that.
    """
    return engine.transcripts.followed(engine.history, source, path)


__all__ = ["Transcript", "follow", "named", "stored"]
