"""One entry of a session as planning sees it: its structure, how large it is, and where its record stands."""

from backstory.records.node import Node
from backstory.records.session import Entry


class Located(Node, frozen=True, gc=False):
    """A node with its place in the log. `chars` is what a call would carry for it, `size` its searchable text."""

    role: str | None = None
    chars: int = 0
    size: int = 0
    offset: int = 0
    length: int = 0
    hash: bytes = b""


def located(entry: Entry) -> Located:
    """An entry that was just read."""
    draft = entry.draft
    return Located(
        entry.seq, draft.kind, draft.visible, draft.entry_id, draft.parent_id, draft.sidechain, draft.op, draft.target,
        draft.call_ids, draft.role, draft.chars, len(draft.text), entry.offset, entry.length, entry.hash,
    )  # fmt: skip
