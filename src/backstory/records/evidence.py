"""Earlier parts of a session as evidence may quote them, and what was found in them."""

from backstory.records.base import Record


class Said(Record, frozen=True):
    """One entry of a branch: its searchable text, who said it, and the user turn (from 1) it belongs to.

    `voice` is user, assistant, call, result or extension. `tool` names the tool of a call; `failed` marks a result that
    reports an error. `command` is the shell command of a call, `paths` the files it names.
    """

    seq: int
    voice: str
    text: str
    turn: int = 0
    entry_id: str | None = None
    time: int | None = None
    tool: str | None = None
    command: str | None = None
    paths: tuple[str, ...] = ()
    call_ids: tuple[str, ...] = ()
    failed: bool = False
