"""Which memories and pins go into a call, and the messages they become.

Pins all go; the planner degrades when they are too many. Memories compete: those that share words with the request win,
and when none does, the newest three stand for continuity. Candidates may come narrowed down from a full-text index.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

from backstory.records.memory import Kept
from backstory.records.plan import Supplement
from backstory.text import quoting

CONTINUITY = 3
_BASE, _SESSION, _PROJECT, _KEY, _TERM, _MOST = 30, 8, 4, 45, 12, 60
_SHOWN_TERMS = 6


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


def memories(
    kept: Sequence[Kept], terms: Sequence[str], *, most: int, room: int, cost: Callable[[str], int]
) -> list[Supplement]:
    """The memories for a request with these query terms, at most `most` within `room` tokens, best first."""
    lowered = [term.lower() for term in terms]
    scored = [(*_score(item, lowered), item) for item in kept if item.status == "active"]
    scored.sort(key=lambda row: (-row[0], -row[2].created, row[2].id))
    matched = [row for row in scored if row[1]]
    chosen: list[Supplement] = []
    for score, hits, item in matched or scored[:CONTINUITY]:
        if len(chosen) == most:
            break
        told = f"shares {', '.join(hits[:_SHOWN_TERMS])} with the request" if hits else "kept for continuity"
        reason = f"shares words with the request ({len(hits)})" if hits else told
        made = memory_message(item, score, reason, told, cost)
        if made.tokens <= room:
            chosen.append(made)
            room -= made.tokens
    return chosen


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


def _origin(item: Kept) -> list[tuple[str, str]]:
    quote = quoting.quote
    return [
        ("Source session", quote(item.session)),
        ("Mutation entry", quote(item.mutation)),
        *([("Source branch leaf", quote(item.branch))] if item.branch else []),
        *([("Supersedes", quote(item.supersedes))] if item.supersedes else []),
    ]


def _score(item: Kept, terms: Sequence[str]) -> tuple[float, list[str]]:
    """The score of a memory and the query terms it holds."""
    claim = item.text.lower()
    hits = [term for term in terms if term in claim]
    keyed = item.key is not None and any(term in item.key for term in terms)
    score = _BASE + (_SESSION if item.scope == "session" else _PROJECT) + (_KEY if keyed else 0)
    return float(score + min(_MOST, _TERM * len(hits))), hits or ([item.key] if keyed and item.key else [])
