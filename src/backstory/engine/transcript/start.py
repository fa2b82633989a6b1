"""Where in a session a call goes on from: a leaf, or for a call of the past what its answer went on from.

What a call sees from there is for `engine.context` to say.
"""

from backstory.dialogue import branch
from backstory.engine.transcript.session import Transcript
from backstory.records.session import Kind


def leaf(transcript: Transcript, name: str | None = None) -> int | None:
    """Position of the entry that a call goes on from: the one named, else the active leaf.

    Raises:
        UnknownEntryError, AmbiguousNameError: the session has no such entry, or several.
    """
    return transcript.active() if name is None else transcript.meant(name)


def past(transcript: Transcript, entry: str) -> tuple[int | None, str | None]:
    """Position of the entry that a call of the past goes on from, and the entry that answered it.

    Of an answer that is what stands before it; entries of a model that follow each other are one answer, named by its
    first. Anything else is what a call goes on from, together with what follows
    it before the model writes; where a person asks anew first, or the model never wrote, nothing answered.

    Raises:
        UnknownEntryError, AmbiguousNameError: the session has no such entry, or several.
    """
    at = transcript.meant(entry)
    if transcript.entries[at].role == "assistant":
        before, first = _answered(transcript, at)
        named = transcript.entries[first]
        return before, named.entry_id or str(named.seq)
    end = at
    for following in _way_on(transcript, at):
        node = transcript.entries[following]
        if node.visible and node.role == "assistant":
            return end, node.entry_id or str(node.seq)
        if node.visible and node.kind == Kind.PROMPT:
            break
        end = following if node.visible else end
    return end, None


def _way(transcript: Transcript, leaf: int | None) -> list[int]:
    return branch.path(transcript.entries, leaf, shape=transcript.shape, rules=transcript.rules)


def _way_on(transcript: Transcript, at: int) -> list[int]:
    """What follows an entry: on the active branch, else on the latest one that it belongs to."""
    way = _way(transcript, None)
    if at not in way:
        up, below = branch.parents(transcript.entries, rules=transcript.rules), {at}
        below.update(later for later in range(at + 1, len(up)) if up[later] in below)
        way = _way(transcript, max(below))
    return [later for later in way if later > at]


def _answered(transcript: Transcript, at: int) -> tuple[int | None, int]:
    """What the answer that an entry is part of went on from, and the first entry of that answer."""
    first = at
    for earlier in reversed(_way(transcript, at)):
        node = transcript.entries[earlier]
        if earlier < at and node.visible:
            if node.role != "assistant":
                return earlier, first
            first = earlier
    return None, first
