"""Which memories and pins go into a call, and the messages they become.

Pins all go; the planner degrades when they are too many. Memories compete: those that share words with the request win,
and when none does, the newest three stand for continuity. Finding them is `store.memory`.
"""

from collections.abc import Callable, Collection, Iterable

from backstory.records.base import Record
from backstory.records.manifest import KeptRef
from backstory.records.memory import Kept
from backstory.records.plan import Supplement
from backstory.text import quoting

CONTINUITY = 3
# What makes up the score of a memory; `store.memory` orders by the same sum.
WEIGHTS = {"of_session": 38, "of_project": 34, "for_key": 45, "for_term": 12, "most_for_terms": 60}
_SHOWN_TERMS = 6


class MemoryMatch(Record, frozen=True):
    """A memory with the query terms that its claim holds; `keyed` says that its key holds one."""

    item: Kept
    words: tuple[str, ...] = ()
    keyed: bool = False


def pins(kept: Iterable[Kept], *, session: str, project: str | None, branch: Collection[str]) -> list[Kept]:
    """Active pins that apply, oldest first; a branch pin applies while its leaf is on the branch."""
    found = [item for item in kept if item.status == "active" and applies(item, session, project, branch)]
    return sorted(found, key=lambda item: (item.created, item.id))


def applies(kept: Kept, session: str, project: str | None, branch: Collection[str]) -> bool:
    """Whether an item concerns a session, its project and its active branch."""
    if kept.scope == "project":
        return project is not None and kept.project == project
    if kept.session != session:
        return False
    return kept.scope != "branch" or (kept.leaf is not None and kept.leaf in branch)


def memories(matches: Iterable[MemoryMatch], *, most: int, room: int, cost: Callable[[str], int]) -> list[Supplement]:
    """The first memories that fit, at most `most` within `room` tokens; matches come best first (see `WEIGHTS`)."""
    chosen: list[Supplement] = []
    for match in matches:
        made = memory_message(match.item, score(match), *_reasons(match), cost)
        if made.tokens <= room:
            chosen.append(made)
            room -= made.tokens
        if len(chosen) == most:
            break
    return chosen


def continuity(items: Iterable[Kept]) -> list[MemoryMatch]:
    """The three memories that stand in when none shares a word with the request: the best by place and age."""
    ranked = sorted(
        (MemoryMatch(item) for item in items), key=lambda one: (-score(one), -one.item.created, one.item.id)
    )
    return ranked[:CONTINUITY]


def score(match: MemoryMatch) -> float:
    """Where an item is from, whether its key has a term, and how many terms its claim has."""
    place = WEIGHTS["of_session"] if match.item.scope == "session" else WEIGHTS["of_project"]
    words = min(WEIGHTS["most_for_terms"], WEIGHTS["for_term"] * len(match.words))
    return float(place + match.keyed * WEIGHTS["for_key"] + words)


def _reasons(match: MemoryMatch) -> tuple[str, str]:
    """The reason without and with words of the memory."""
    shared = match.words[:_SHOWN_TERMS] or ((match.item.key,) if match.keyed and match.item.key else ())
    if not shared:
        return "kept for continuity", "kept for continuity"
    return f"shares words with the request ({len(shared)})", f"shares {', '.join(shared)} with the request"


def memory_message(item: Kept, score: float, reason: str, told: str, cost: Callable[[str], int]) -> Supplement:
    """A memory as a quoted message; `reason` is for records that hold no text, `told` for the message itself."""
    quote = quoting.quote
    facts = [
        ("Memory ID", quote(item.id)),
        ("Scope", item.scope),
        *_origin(item),
        *([("Contradicts", quote(", ".join(item.contradicts)))] if item.contradicts else []),
        *([("Key", quote(item.key))] if item.key else []),
        ("Score", f"{score:.3f}"),
        ("Reason", quote(told)),
        ("Source entries", quote(", ".join(item.sources[1:])) if item.sources[1:] else "the mutation entry"),
    ]
    text = quoting.render(quoting.MEMORY, facts, item.text)
    return Supplement(item.id, "memory", text, cost(text), item.sources, score, item.level, reason)


def pin_message(item: Kept, cost: Callable[[str], int]) -> Supplement:
    """A pin as a quoted message."""
    quote = quoting.quote
    facts = [
        ("Pin ID", quote(item.id)),
        ("Scope", item.scope),
        *_origin(item),
        *([("Source entry", quote(item.sources[1]))] if len(item.sources) > 1 else []),
        *([("Source file", quote(item.source_file))] if item.source_file else []),
    ]
    text = quoting.render(quoting.PIN, facts, item.text)
    return Supplement(item.id, "pin", text, cost(text), item.sources, 950.0, item.level, "a person pinned it")


def reference(item: Kept) -> KeptRef:
    """What a manifest says of a pin or a memory: all but what it says."""
    return KeptRef(
        item.id,
        item.kind,
        item.scope,
        item.session,
        item.mutation,
        item.sources[1:],
        item.file,
        item.branch,
        item.leaf,
        item.source_file,
        item.supersedes,
        item.contradicts,
        item.level,
    )


def _origin(item: Kept) -> list[tuple[str, str]]:
    quote = quoting.quote
    return [
        ("Source session", quote(item.session)),
        ("Mutation entry", quote(item.mutation)),
        *([("Source branch leaf", quote(item.branch))] if item.branch else []),
        *([("Supersedes", quote(item.supersedes))] if item.supersedes else []),
    ]
