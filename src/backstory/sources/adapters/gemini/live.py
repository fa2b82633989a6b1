"""Tracks which messages of a Gemini session still count, as lines may repeat, rewind or replace earlier ones.

A message is written again, under the same id, whenever tokens or tool results join it; the last copy counts. The
map from id to ordinals lives in the facts' state and is bounded. Used by `parse` next to this module.
"""

from collections.abc import Collection
from typing import cast

from backstory.records.session import Facts

_MOST = 512
_ID_TAIL = 12


class Live:
    """The ordinals of messages that count, in file order."""

    def __init__(self, facts: Facts) -> None:
        self._state = facts.state
        self._spans = cast("dict[str, list[int]]", facts.state.setdefault("live", {}))

    def number(self, count: int) -> int:
        """The ordinal of the next draft; the following `count` ordinals are taken."""
        first = cast("int", self._state.get("count", 0))
        self._state["count"] = first + count
        return first

    def replace(self, id_: str, first: int, last: int) -> str | None:
        """Notes a message; the span of its earlier copy, which it replaces, if there is one."""
        key = id_[-_ID_TAIL:]
        earlier = self._spans.pop(key, None)
        self._spans[key] = [first, last]
        while len(self._spans) > _MOST:
            del self._spans[next(iter(self._spans))]
        return f"{earlier[0]}-{earlier[1]}" if earlier else None

    def rewind(self, id_: str) -> str | None:
        """Forgets a message and all after it; their span, None when the message is unknown."""
        keys = list(self._spans)
        key = id_[-_ID_TAIL:]
        if key not in keys:
            self._spans.clear()
            return None
        gone = [self._spans.pop(each) for each in keys[keys.index(key) :]]
        return f"{gone[0][0]}-{max(span[1] for span in gone)}"

    def knows(self, id_: str | None) -> bool:
        """Whether this message was seen and counts."""
        return id_ is not None and id_[-_ID_TAIL:] in self._spans

    def keep(self, ids: Collection[str]) -> list[str]:
        """Forgets every message not named; the spans of runs that lay side by side."""
        kept = {id_[-_ID_TAIL:] for id_ in ids}
        runs: list[list[int]] = []
        together = False
        for key, (first, last) in list(self._spans.items()):
            if key in kept:
                together = False
                continue
            del self._spans[key]
            if together:
                runs[-1][1] = max(runs[-1][1], last)
            else:
                runs.append([first, last])
            together = True
        return [f"{first}-{last}" for first, last in runs]
