"""Where supplements stand among the native messages: near the request, or where a provider's prefix cache keeps them.

`latest-user` puts all of them right before the request. `stable-prefix` puts them after the leading system messages,
before the first turn. `hybrid` puts what changes seldom (pins, memory, project) there and the rest before the request.
"""

from collections.abc import Sequence

from backstory.records.plan import Supplement

PLACEMENTS = ("latest-user", "stable-prefix", "hybrid")
ORDER = ("pin", "memory", "card", "excerpt", "retrieval", "project")
_STABLE = frozenset(("pin", "memory", "project"))
_ANCHORED = frozenset(("card", "excerpt"))


def arrange(
    native: Sequence[int],
    leading: int,
    request: int | None,
    chosen: Sequence[tuple[int, Supplement]],
    placement: str,
    anchor: int | None = None,
) -> list[tuple[int | None, int | None]]:
    """The sending order as pairs (native position, supplement index), one of the two set in each.

    `native` are the selected positions in order, `leading` counts the system messages at their start. Without a request
    there is no place for supplements, and none is sent.
    """
    found: list[tuple[int | None, int | None]] = [(position, None) for position in native]
    if request is None:
        return found
    ordered = sorted(chosen, key=lambda pair: ORDER.index(pair[1].kind))
    stable = {"stable-prefix": frozenset(ORDER), "hybrid": _STABLE}.get(placement, frozenset())
    early = [index for index, item in ordered if item.kind in stable]
    at = list(native).index(request)
    prefix = min(leading, at)
    held = list(native).index(anchor) if anchor is not None and anchor in native else at
    held = min(max(held, prefix), at)
    fixed = [index for index, item in ordered if item.kind not in stable and item.kind in _ANCHORED]
    late = [index for index, item in ordered if item.kind not in stable and item.kind not in _ANCHORED]
    first, last = (fixed, late) if held < at else ([], [*fixed, *late])
    return [
        *found[:prefix],
        *((None, index) for index in early),
        *found[prefix:held],
        *((None, index) for index in first),
        *found[held:at],
        *((None, index) for index in sorted(last, key=[index for index, _ in ordered].index)),
        *found[at:],
    ]
