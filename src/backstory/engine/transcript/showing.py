"""What a host shows of a session: entries as its log has them, messages in their place, and what no log holds."""

from collections.abc import Sequence
from typing import cast

from backstory.engine.transcript.session import Transcript
from backstory.records.message import Message
from backstory.records.session import Kind

Shown = str | int | Message | tuple[str, Message]
"""An entry id, or its number in the transcript, where a message is what the log holds; another message in its place; or
a message no log holds."""


def numbers(transcript: Transcript, shown: Sequence[Shown]) -> list[int]:
    """The numbers of what a host shows.

    Raises:
        UnknownEntryError: the log does not hold an entry.
    """
    if {int}.issuperset(map(type, shown)):
        return [*cast("Sequence[int]", shown)]
    keys: list[int] = []
    for thing in shown:
        if isinstance(thing, int):
            keys.append(thing)
        elif isinstance(thing, str):
            keys.append(transcript.require(thing))
        elif isinstance(thing, Message):
            # Beside a log a person's words stand in it; without one they have nowhere else to stand.
            kind = Kind.PROMPT if thing.role == "user" and not transcript.entries else Kind.MEMORY
            keys.append(transcript.guests.number(thing, kind))
        else:
            keys.append(transcript.guests.number(thing[1], transcript.entries[transcript.require(thing[0])].kind))
    return keys
