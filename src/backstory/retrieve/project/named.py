"""Files a request names outright: by path, by base name, by a symbol they declare, by a line in a stack trace.

A name that few files answer to is a tier of its own: those files come before all others, however well these match. A
request of many words keeps only what it spells as a path; the rest is one more signal among others there.
Neighbours: `task` finds what is named, `scores` orders.
"""

import re
from collections.abc import Iterator

import msgspec

from backstory.retrieve.task import FileMention, Task
from backstory.store.project import lookup
from backstory.store.project.lookup import Declared
from backstory.store.project.search import ProjectSearch
from backstory.text.accents import stopword
from backstory.text.identifiers import LEXEME, compound

FEW_FILES = 3
# A request has so few words that each name among them is meant, and so few that a capital letter makes a name.
POINTED_WORDS = 6
CAPITAL_WORDS = 3
SYMBOL_BONUS = 0.2
PATH, NAME, STEM = 3, 2, 1
_SEPARATORS = re.compile(r"[/.]")
DECLARES, BASENAME, EXACT = 1, 2, 3
DECLARED = "declares "


class Named(msgspec.Struct):
    """Why a file is named: `rank` 3 path, 2 base name, 1 stem; `tier` sorts before scores; `lines` are asked for."""

    rank: int = 0
    tier: int = 0
    bonus: float = 0.0
    lines: list[int] = msgspec.field(default_factory=list)
    reasons: list[str] = msgspec.field(default_factory=list)

    def take(self, more: "Named") -> None:
        """Let this be said of the file as well."""
        self.rank, self.tier = max(self.rank, more.rank), max(self.tier, more.tier)
        self.bonus = max(self.bonus, more.bonus)
        self.lines += more.lines
        self.reasons += more.reasons


def names(search: ProjectSearch, task: Task, text: str) -> dict[int, Named]:
    """Per file id what the request says of it."""
    found: dict[int, Named] = {}
    for row, said in _said(search, task, text):
        if row in found:
            found[row].take(said)
        else:
            found[row] = said
    return found


def _said(search: ProjectSearch, task: Task, text: str) -> Iterator[tuple[int, Named]]:
    """The files that each name of the request names, with what it says of them."""
    spoken = sum(1 for word in LEXEME.findall(text)[:64] if not stopword(word))
    pointed = spoken <= POINTED_WORDS
    for mention in task.files:
        yield from _by_file(search, mention, pointed=pointed)
    for symbol in task.symbols:
        yield from _by_symbol(search, symbol, pointed=pointed)
    if spoken <= CAPITAL_WORDS:
        parts = {part for symbol in task.symbols for part in LEXEME.findall(symbol)}
        for number, word in enumerate(LEXEME.findall(text)):
            if any(char.isupper() for char in word) and word not in parts:
                # The capital that a sentence begins with makes no name.
                opening = number == 0 and spoken > 1 and word[1:].islower()
                yield from _by_symbol(search, word, pointed=not opening, exact_case=True)


def _by_file(search: ProjectSearch, mention: FileMention, *, pointed: bool) -> Iterator[tuple[int, Named]]:
    path = mention.path.removeprefix("./")
    base = path.rpartition("/")[2]
    if not base:
        return
    matches = lookup.by_name(search.store, base)
    exact = [row for row, known in matches if _same_path(known, path)]
    named = exact or [row for row, _ in matches]
    spelled = bool(exact) and "/" in path
    for row in named:
        asked = mention.line if exact or len(named) == 1 else None
        reason = "exact path" if spelled else "file name"
        said = Named(PATH if spelled else NAME, reasons=[f"{reason}, line {asked}" if asked is not None else reason])
        if len(named) <= FEW_FILES and (spelled or pointed):
            said.tier = EXACT if spelled else BASENAME
        if asked is not None:
            said.lines = [asked]
        yield row, said


def _same_path(known: str, path: str) -> bool:
    """Whether one path ends in the other at a separator; absolute paths of other machines end in project paths."""
    left, right = "/" + known.lower(), "/" + path.lower().lstrip("/")
    return left.endswith(right) or ("/" in known and right.endswith(left))


def _called(item: Declared, spelled: str) -> bool:
    """Whether a declaration goes by a name in lower case, with its outer names or the name of its module before it."""
    if ("." + item.symbol.qualified.lower()).endswith("." + spelled):
        return True
    owners, _, simple = spelled.rpartition(".")
    modules = {part.strip("_") for part in _SEPARATORS.split(item.path.lower())}
    return item.symbol.qualified.lower() == simple and owners.rpartition(".")[2].strip("_") in modules


def _by_symbol(
    search: ProjectSearch, symbol: str, *, pointed: bool, exact_case: bool = False
) -> Iterator[tuple[int, Named]]:
    spelled = symbol.rstrip("()").replace("::", ".").replace("#", ".")
    simple = spelled.rpartition(".")[2]
    if not simple or simple.startswith("-"):
        return
    # A name like `__init__` names nothing without the names around it, and putting thousands in order is dear.
    if "." not in spelled and lookup.common(search.store, simple):
        return
    declared = lookup.by_symbol(search.store, simple)
    if exact_case:
        declared = [item for item in declared if item.symbol.name == simple and item.symbol.kind != "heading"]
    whole = [item for item in declared if _called(item, spelled.lower())]
    # `fp.read` names no declaration by its last word alone; `fp.read_chunk` may.
    if "." in spelled and not whole and not compound(simple):
        return
    declared = whole or declared
    few = len({item.file_id for item in declared}) <= FEW_FILES
    for item in declared:
        said = Named()
        if few:
            said = Named(0, DECLARES if pointed else 0, SYMBOL_BONUS, [item.symbol.start])
            said.reasons = [DECLARED + item.symbol.qualified]
        yield item.file_id, said
