"""Historical evidence: the earlier messages of the branch that a call quotes for its request.

Before it: `engine.planning.history` (finds candidates that a first plan does not commit anyway), `plan.matching` (which
match, and how well), `plan.quotations` (how they are quoted). After it: `plan.planner`.
"""

from collections.abc import Callable, Container, Mapping, Sequence

from backstory.plan.matching import Match, Wanted, matches, ranked
from backstory.plan.quotations import lines, quotation
from backstory.records.base import Record
from backstory.records.evidence import Said
from backstory.records.plan import Supplement

_LEAST_TOKENS = 48
_PATIENCE = 4  # how many matches may be too long for what is left before none is quoted any more
_COMPARED = 1_000
_LEAST_LINE = 12


class Recalled(Record, frozen=True):
    """The quotations and counts for a report.

    `candidates` could have been quoted, `committed` are in the call anyway, `alternates` stand on other branches.
    Status is complete, no-query (the request names nothing to look for), disabled (nothing may be added) or not-indexed
    (the session is not in the index yet).
    """

    supplements: tuple[Supplement, ...] = ()
    candidates: int = 0
    duplicates: int = 0
    committed: int = 0
    alternates: int = 0
    status: str = "complete"


def recall(
    history: Sequence[Said],
    wanted: Wanted,
    holders: Mapping[int, Container[str]] | None = None,
    weights: Mapping[int, float] | None = None,
    compared: dict[int, str] | None = None,
    *,
    most: int,
    room: int,
    cost: Callable[[str], int],
) -> Recalled:
    """The best of some earlier messages, at most `most` within `room` tokens.

    `holders` and `weights` are what an index knows of them, see `matches` and `ranked`. `compared` goes from call to
    call: what texts are compared by, by sequence number. What room is left when the best are quoted, further matches
    use as short lines, several to a quotation.
    """
    if not wanted.terms or most <= 0 or room <= 0:
        return Recalled(status="no-query" if not wanted.terms else "disabled")
    found = matches(history, wanted, holders)
    compared = {} if compared is None else compared
    seen: set[str] = set()
    chosen: list[Supplement] = []
    duplicates = 0
    rest: list[Match] = []
    missed = 0
    for match in ranked(found, weights):
        text = compared.get(match.said.seq) or compared.setdefault(match.said.seq, _compared(match.said.text))
        if text in seen:
            duplicates += 1
            continue
        if len(chosen) == most or missed == _PATIENCE:
            if len(rest) * _LEAST_LINE > room:
                break
            seen.add(text)
            rest.append(match)
            continue
        made = quotation(match, room, cost) if room >= _LEAST_TOKENS else None
        if made is not None:
            seen.add(text)
            chosen.append(made)
            room -= made.tokens
        else:
            missed += 1
    return Recalled((*chosen, *lines(rest, room, cost)), len(found), duplicates)


def _compared(text: str) -> str:
    """What two texts must share to count as the same: beginning and end, whatever their blanks and case."""
    ends = text if len(text) <= _COMPARED else f"{text[: _COMPARED // 2]} {len(text)} {text[-_COMPARED // 2 :]}"
    return " ".join(ends.split()).lower()
