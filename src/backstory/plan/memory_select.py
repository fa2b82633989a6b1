"""Which memories and pins go into a call, and the messages they become.

Pins all go; the planner degrades when they are too many. Memories compete: those that share words with the request win,
and when none does, the newest three stand for continuity. Candidates may come narrowed down from a full-text index.
"""

import heapq
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence

from backstory.records.memory import Kept
from backstory.records.plan import Supplement
from backstory.text import quoting

CONTINUITY = 3
_BASE, _SESSION, _PROJECT, _KEY, _TERM, _MOST = 30, 8, 4, 45, 12, 60
_SHOWN_TERMS = 6
_Ranked = tuple[float, list[str], Kept]


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
    active = [item for item in kept if item.status == "active"]
    hits = _hits(active, [term.lower() for term in terms])
    matched = [(_score(active[at], words, keyed=keyed), words, active[at]) for at, (words, keyed) in hits.items()]
    matched.sort(key=_best_first)
    newest = [] if matched else _newest(active)
    chosen: list[Supplement] = []
    for score, words, item in matched or newest:
        if len(chosen) == most:
            break
        shared = words[:_SHOWN_TERMS] or ([item.key] if matched and item.key else [])
        told = f"shares {', '.join(shared)} with the request" if shared else "kept for continuity"
        reason = f"shares words with the request ({len(shared)})" if shared else told
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


def _hits(items: Sequence[Kept], terms: Sequence[str]) -> dict[int, tuple[list[str], bool]]:
    """For each item that shares a term: the terms in its claim, and whether its key has one.

    All claims are searched as one text: that costs one search per term instead of one per term and item.
    """
    starts: list[int] = []
    parts: list[str] = []
    length = 0
    for item in items:
        starts.append(length)
        part = f"{item.text.lower()}\0{item.key or ''}\1"
        parts.append(part)
        length += len(part)
    text = "".join(parts)
    found: dict[int, tuple[list[str], bool]] = {}
    for term in terms:
        at = text.find(term)
        while at >= 0:
            position = bisect_right(starts, at) - 1
            after = starts[position + 1] if position + 1 < len(starts) else length
            border = text.rindex("\0", starts[position], after)
            words, keyed = found.get(position, ([], False))
            claimed = at < border
            found[position] = ([*words, term] if claimed else words, keyed or text.find(term, border, after) >= 0)
            at = text.find(term, after)
    return found


def _newest(items: Sequence[Kept]) -> list[_Ranked]:
    """The best by place and age alone."""
    rows = [(_score(item, [], keyed=False), list[str](), item) for item in items]
    return heapq.nsmallest(CONTINUITY, rows, key=_best_first)


def _score(item: Kept, words: Sequence[str], *, keyed: bool) -> float:
    """Where an item is from, whether its key has a term, and how many terms its claim has."""
    score = _BASE + (_SESSION if item.scope == "session" else _PROJECT) + (_KEY if keyed else 0)
    return float(score + min(_MOST, _TERM * len(words)))


def _best_first(row: _Ranked) -> tuple[float, int, str]:
    score, _, item = row
    return -score, -item.created, item.id
