"""Cuts a file into the ranges that are ranked and quoted: at declarations where they are known, else in windows.

A chunk begins at a declaration indented at most four columns, with the comments and decorators above it; short ones
grow forward, long ones are cut into overlapping windows. Neighbours: `symbols` before it, the indexer after it.
"""

from collections.abc import Sequence

from backstory.records.project import Chunk, Symbol

WINDOW = 80
STEP = 68
LONGEST = 120
SHORTEST = 15
DEEPEST_INDENT = 4
MOST_CHUNKS = 200
_ABOVE = ("#", "//", "*", "/*", "@", "--", '"""', "[", "<!--")


def chunks(lines: Sequence[str], symbols: Sequence[Symbol] | None) -> list[Chunk]:
    """At most 200 chunks of a file in line order; without symbols, overlapping windows of 80 lines."""
    total = len(lines)
    while total and not lines[total - 1].strip():
        total -= 1
    if not total:
        return []
    starts = _starts(lines, symbols or ())
    found: list[tuple[int, int]] = []
    for index, start in enumerate(starts):
        end = starts[index + 1] if index + 1 < len(starts) else total
        found.extend(_windows(start, end))
    return _named(found[:MOST_CHUNKS], symbols or ())


def _starts(lines: Sequence[str], symbols: Sequence[Symbol]) -> list[int]:
    """0-based first lines of chunks, the first always 0, each at least 15 lines after the one before."""
    starts = [0]
    for symbol in symbols:
        if symbol.kind == "variable":
            continue
        line = symbol.start - 1
        text = lines[line]
        if len(text) - len(text.lstrip()) > DEEPEST_INDENT:
            continue
        while line > starts[-1] and lines[line - 1].lstrip().startswith(_ABOVE):
            line -= 1
        if line - starts[-1] >= SHORTEST:
            starts.append(line)
    return starts


def _windows(start: int, end: int) -> list[tuple[int, int]]:
    if end - start <= LONGEST:
        return [(start, end)]
    found = []
    while True:
        stop = min(start + WINDOW, end)
        found.append((start, stop))
        if stop == end:
            return found
        start += STEP


def _named(ranges: list[tuple[int, int]], symbols: Sequence[Symbol]) -> list[Chunk]:
    """Chunks with the first declaration that starts in each, else the innermost one around its first line."""
    named = []
    following = 0
    for start, end in ranges:
        while following < len(symbols) and symbols[following].start <= start:
            following += 1
        inside = symbols[following] if following < len(symbols) and symbols[following].start <= end else None
        symbol = inside or _around(symbols, following, start + 1)
        named.append(Chunk(start + 1, end, symbol.qualified if symbol else None, symbol.kind if symbol else None))
    return named


def _around(symbols: Sequence[Symbol], following: int, line: int) -> Symbol | None:
    for symbol in reversed(symbols[max(0, following - 64) : following]):
        if symbol.end >= line:
            return symbol
    return None
