"""An ordered list of positions from which runs are cut, and into which positions are spliced, in constant time each.

The working structure of `splice`: it knows nothing of entries.
"""

from collections.abc import Iterator


class Chain:
    """Positions 0 to `end` - 1 may be members; each enters at most once. `end` stands for both ends of the list."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._after = [end] * (end + 1)
        self._before = [end] * (end + 1)
        self._rank: dict[int, int] = {}
        self._highest = 0
        self._onward = list(range(end + 1))

    def __contains__(self, at: object) -> bool:
        return at in self._rank

    def __iter__(self) -> Iterator[int]:
        at = self._after[self._end]
        while at != self._end:
            yield at
            at = self._after[at]

    def in_order(self, first: int, last: int) -> bool:
        """Whether both are members and the first does not stand behind the last."""
        return first in self and last in self and self._rank[first] <= self._rank[last]

    def run(self, first: int, last: int) -> list[int]:
        """The members from `first` to `last`, which must be in order."""
        found = [first]
        while found[-1] != last:
            found.append(self._after[found[-1]])
        return found

    def front(self, until: int | None) -> list[int]:
        """The members before `until`; all of them when that is None or no member."""
        found: list[int] = []
        for at in self:
            if at == until:
                return found
            found.append(at)
        return found

    def members(self, low: int, high: int) -> list[int]:
        """The members whose position lies in `low` <= position < `high`, by position."""
        found = []
        at = self._live(low, high)
        while at < high:
            found.append(at)
            at = self._live(at + 1, high)
        return found

    def append(self, at: int) -> None:
        """Put a position at the end."""
        self._highest += 1
        self._link(at, self._before[self._end], self._highest)

    def lead(self, at: int) -> None:
        """Put a position in front."""
        first = self._after[self._end]
        if first == self._end:
            self.append(at)
        else:
            self._link(at, self._end, self._rank[first] - 1)

    def exchange(self, gone: list[int], at: int | None) -> None:
        """Take out the members in `gone`, at least one, and put `at` where the first of them stood."""
        first = min(gone, key=self._rank.__getitem__)
        rank, before = self._rank[first], self._before[first]
        for member in gone:
            self._unlink(member)
        if at is not None:
            self._link(at, before, rank)

    def _link(self, at: int, before: int, rank: int) -> None:
        after = self._after[before]
        self._after[before] = self._before[after] = at
        self._before[at], self._after[at] = before, after
        self._rank[at] = rank

    def _unlink(self, at: int) -> None:
        before, after = self._before[at], self._after[at]
        self._after[before], self._before[after] = after, before
        del self._rank[at]

    def _live(self, at: int, high: int) -> int:
        """The first member at or after a position below `high`; positions found empty are skipped from then on."""
        onward = self._onward
        while at < high and at not in self._rank:
            step = onward[at]
            if step == at:
                step = at + 1
            onward[at] = onward[step]
            at = step
        return at
