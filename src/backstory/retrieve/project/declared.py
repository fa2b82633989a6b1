"""Which declaration a range of source is called by: the one that the request is about, where that can be told. Pure.

Neighbours: `cards` chose the range, `task` read the request.
"""

from collections.abc import Collection, Sequence

from backstory.records.project import Symbol
from backstory.retrieve.task import Task
from backstory.text.identifiers import parts

# Words that begin alike mean alike: `validate`, `validates`, `validating`.
ALIKE = 6


def spoken(task: Task) -> frozenset[str]:
    """The words of a request, and the parts of the names in it, as far as names are compared by them."""
    return frozenset(part[:ALIKE] for word in (*task.symbols, *task.keywords) for part in parts(word))


def told(declared: Sequence[Symbol], lines: Collection[int], words: Collection[str]) -> Symbol | None:
    """The innermost one around a line that is asked for, else the one whose name holds most of the words, or None."""
    around = [symbol for symbol in declared if any(symbol.start <= line <= symbol.end for line in lines)]
    if around:
        return max(around, key=lambda symbol: symbol.start)
    names = "\n".join([symbol.name for symbol in declared]).lower()
    if not any(map(names.__contains__, words)):
        return None
    held = [sum(part[:ALIKE] in words for part in parts(symbol.name)) for symbol in declared]
    most = max(held, default=0)
    return declared[held.index(most)] if most else None
