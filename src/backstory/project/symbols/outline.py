"""Turns declaration matches into symbols: where each ends, what encloses it, how it is signed.

Ends follow indentation, which costs one pass over the lines and cannot fail: a declaration lasts until the next line of
code that is indented no deeper. Source whose layout lies about its structure gets shorter ranges, never wrong names.
Neighbours: `grammar` and `spans` before it, `chunk` after it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from backstory.project.symbols.grammar import Grammar, kind_of
from backstory.project.symbols.spans import inside, multiline_spans
from backstory.records.project import Symbol

MOST_SYMBOLS = 1000
SIGNATURE_LINES = 12
SIGNATURE_CHARS = 500
LONGEST_HEAD = 4000
CONTINUES = ")]{"
_SPACE = re.compile(r"\s+")


class OpenDeclaration(NamedTuple):
    """A declaration before its end is known: `line` is 0-based, `offset` where its line begins in the padded text."""

    name: str
    kind: str
    line: int
    depth: int
    offset: int
    receiver: str | None


def outline(text: str, grammar: Grammar) -> list[Symbol] | None:
    """The declarations of a text in order; None when a comment or string never ends, so that nothing is certain."""
    padded = "\n" + text
    spans = multiline_spans(padded, grammar)
    if spans is None:
        return None
    found = _declared(padded, grammar, spans)
    if not found:
        return []
    ends = _levels(padded, found) if grammar.level else _ends(padded, grammar, spans, found)
    return _nested(grammar, found, ends)


def _declared(padded: str, grammar: Grammar, spans: list[tuple[int, int]]) -> list[OpenDeclaration]:
    found: list[OpenDeclaration] = []
    line, counted = 0, 1
    has_receiver = "receiver" in grammar.declarations.groupindex
    for match in grammar.declarations.finditer(padded):
        start = match.start() + 1
        if (spans and inside(spans, start)) or (grammar.accept and not grammar.accept(padded, match)):
            continue
        kind = kind_of(match)
        depth = grammar.level(match) if grammar.level else len(match["indent"])
        if kind == "variable" and depth:
            continue
        line += padded.count("\n", counted, start)
        counted = start
        receiver = (match["receiver"] or "").replace("::", ".") if has_receiver else ""
        found.append(OpenDeclaration(match[match.lastgroup or ""].strip(), kind, line, depth, start, receiver or None))
        if len(found) == MOST_SYMBOLS:
            break
    return found


def _ends(padded: str, grammar: Grammar, spans: list[tuple[int, int]], found: list[OpenDeclaration]) -> list[int]:
    """The 0-based last line of each declaration."""
    hidden = _hidden(padded, spans)
    ends = [0] * len(found)
    stack: list[tuple[int, int]] = []
    following, next_line = 0, found[0].line
    innermost = -1
    last = 0
    for number, line in enumerate(padded[1:].split("\n")):
        code = line.lstrip()
        if not code or number in hidden:
            continue
        depth = len(line) - len(code)
        if depth <= innermost and not _continues(code, grammar, level=depth == innermost):
            closes = code[0] == "}" or code.startswith("end")
            while stack and depth <= stack[-1][0]:
                opened, index = stack.pop()
                ends[index] = number if closes and opened == depth else last
            innermost = stack[-1][0] if stack else -1
        if number == next_line:
            stack.append((depth, following))
            innermost = depth
            following += 1
            next_line = found[following].line if following < len(found) else -1
        last = number
    for _, index in stack:
        ends[index] = last
    return ends


def _continues(code: str, grammar: Grammar, *, level: bool) -> bool:
    """Whether a line at an equal or outer indentation still belongs to the declaration above it."""
    if level and code[0] in CONTINUES:
        return True
    return grammar.skip is not None and grammar.skip.match(code) is not None


def _hidden(padded: str, spans: list[tuple[int, int]]) -> set[int]:
    """The 0-based numbers of lines that begin inside a comment or string."""
    hidden: set[int] = set()
    line, counted = -1, 0
    for start, end in spans:
        line += padded.count("\n", counted, start)
        inner = padded.count("\n", start, end)
        hidden.update(range(line + 1, line + inner + 1))
        line += inner
        counted = end
    return hidden


def _levels(padded: str, found: list[OpenDeclaration]) -> list[int]:
    """The 0-based last line of each heading's section: up to the next heading of its level or a higher one."""
    ends = [padded.count("\n") - 1] * len(found)
    stack: list[int] = []
    for index, item in enumerate(found):
        while stack and found[stack[-1]].depth >= item.depth:
            ends[stack.pop()] = item.line - 1
        stack.append(index)
    return ends


def _nested(grammar: Grammar, found: list[OpenDeclaration], ends: list[int]) -> list[Symbol]:
    """Symbols with their parents; what looks like a method outside every container is no declaration."""
    symbols: list[Symbol] = []
    enclosing: list[Symbol] = []
    for item, end in zip(found, ends, strict=True):
        while enclosing and enclosing[-1].end < item.line + 1:
            enclosing.pop()
        outer = enclosing[-1] if enclosing else None
        contained = outer is not None and outer.kind in grammar.containers
        kind = item.kind
        if kind == "method" and not contained:
            continue
        if kind == "function" and (contained or item.receiver):
            kind = "method"
        parent = item.receiver or (outer.qualified if outer else None)
        qualified = f"{parent}.{item.name}" if parent else item.name
        symbol = Symbol(item.name, qualified, kind, item.line + 1, max(end, item.line) + 1, "", parent)
        symbols.append(symbol)
        enclosing.append(symbol)
    return symbols


def signature(lines: Sequence[str], code: Sequence[str], symbol: Symbol, grammar: Grammar) -> str:
    """The head of a declaration on one line: at most 12 lines and 500 characters.

    `code` holds the same lines with comments and strings masked; only there is looked for the end of the head.
    """
    head = bare = ""
    for number in range(symbol.start - 1, min(symbol.start - 1 + SIGNATURE_LINES, len(lines))):
        head += lines[number][:LONGEST_HEAD] + "\n"
        bare += code[number][:LONGEST_HEAD] + "\n"
        if bare.count("(") <= bare.count(")") or len(bare) > LONGEST_HEAD:
            break
    match = grammar.signature_end.search(bare)
    return _SPACE.sub(" ", head[: match.start()] if match else head).strip()[:SIGNATURE_CHARS]
