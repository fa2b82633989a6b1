"""Ranges of source as an answer shows them: cut from the bytes of verified files, and called by what they hold.

Neighbours: `retrieve.project.cards` chose the ranges, `engine.project.verified` read the bytes,
`engine.project.search` asks.
"""

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence

from backstory.privacy import classify, secrets
from backstory.records.project import Chunk, SourceItem, Symbol
from backstory.retrieve.project.cards import FileCard, Range
from backstory.retrieve.project.declared import spoken, told
from backstory.retrieve.task import describe
from backstory.store.project import lookup
from backstory.store.project.database import ProjectStore
from backstory.text import tokens

# The name and the kind of a declaration.
Called = tuple[str | None, str | None]
FILE, HEADING = "file", "heading"


def shown(store: ProjectStore, chosen: Sequence[FileCard], text: str, read: Mapping[str, bytes]) -> list[SourceItem]:
    """The ranges of cards chosen for a request, in their order; `read` holds the bytes of each file by its path."""
    return [
        item
        for card, called in zip(chosen, _called(store, chosen, text), strict=True)
        for item in _items(card, read[card.source.fact.path], called)
    ]


def _called(store: ProjectStore, chosen: Sequence[FileCard], text: str) -> list[list[Called]]:
    """How each range of each card is called: by what the request is about, else by what it holds.

    Of a whole file that is its only outermost declaration, or what it is headed by; else it is called a file.
    """
    places, whole = list[tuple[int, int, int]](), list[tuple[int, int, int]]()
    for card in chosen:
        for part in card.ranges:
            chunk = card.source.chunks[part.chunk]
            named = bool(card.source.lines) and any(part.start <= line <= part.end for line in card.source.lines)
            first, last = (part.start, part.end) if named else (chunk.start, chunk.end)
            places.append((card.source.fact.id, first, last))
            whole += [(card.source.fact.id, part.start, part.end)] if _whole(card, part) else []
    words, found = spoken(describe(text)), lookup.declared(store, [*places, *whole])
    declared, all_ = iter(found[: len(places)]), iter(found[len(places) :])
    called = []
    for card in chosen:
        names = list[Called]()
        for part in card.ranges:
            about = told(next(declared), card.source.lines, words)
            chunk = card.source.chunks[part.chunk]
            names.append(_name(about, chunk, next(all_) if _whole(card, part) else None))
        called.append(names)
    return called


def _whole(card: FileCard, part: Range) -> bool:
    chunks = card.source.chunks
    return part.start <= chunks[0].start and part.end >= chunks[-1].end


def _name(about: Symbol | None, chunk: Chunk, declared: Sequence[Symbol] | None) -> Called:
    """The name of a range of a chunk, which the request is `about`; a whole file is told what is declared in it."""
    if about is None and declared:
        outermost = [symbol for symbol in declared if symbol.parent is None]
        only = len(outermost) == 1 or declared[0].kind == HEADING
        about = outermost[0] if only else None
    if about is not None:
        return about.qualified, about.kind
    return (None, FILE) if declared is not None else (chunk.symbol, chunk.kind)


def _items(card: FileCard, data: bytes, called: Sequence[Called]) -> list[SourceItem]:
    data = data.removeprefix(BOM_UTF8)
    source = card.source
    known = bool(card.ranges[-1].stop)
    # Nothing in a file whose bytes can be cut is a marker or a credential. Every marker holds these two, few others do.
    claimed = classify.level(data.decode("utf-8", "replace") if not known and b"4:" in data else "")
    lines = [] if known else _lines(data, card.ranges[-1].end)
    return [
        SourceItem(
            path=source.fact.path,
            start_line=part.start,
            end_line=part.end,
            symbol=symbol,
            kind=kind,
            sha256=source.fact.hash,
            tokens=tokens.count(cut := _text(data[part.begin : part.stop]) if known else _cut(lines, part)),
            reason=source.reason,
            text=cut,
            modified=source.fact.modified,
            level=claimed,
            score=round(source.scores[part.chunk], 6),
            lines=tuple(sorted({line for line in source.lines if part.start <= line <= part.end})),
        )
        for part, (symbol, kind) in zip(card.ranges, called, strict=True)
    ]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _lines(data: bytes, end: int) -> list[str]:
    """The first lines of a file, without the credentials that let it stay in the index: some go over two lines."""
    suspicious = (b"://" in data and b"@" in data) or b"uthorization" in data
    text = _text(data)
    return (secrets.redact(text)[0] if suspicious else text).split("\n", end)


def _cut(lines: Sequence[str], part: Range) -> str:
    return "\n".join(lines[part.start - 1 : part.end])
