"""Turns a large tool result into a short reference: how large it was, its errors and paths, its head and its tail.

The reference stands in the call in place of the text; the text itself is kept by its hash. Excerpts and paths are
redacted and quoted as JSON strings, so nothing in them can end the reference. Neighbours: `store.objects` keeps the
bytes.
"""

import re
from collections.abc import Iterator

from backstory.privacy.secrets import redact
from backstory.records.base import Record
from backstory.records.message import Block, Text, ToolResult
from backstory.records.session import Kind
from backstory.text import hashing
from backstory.text.quoting import quote
from backstory.text.tokens import units

HEADER, FOOTER = "[DS4 LARGE TOOL OUTPUT OFFLOADED]", "[END DS4 LARGE TOOL OUTPUT]"
INLINE_CHARS = 12_000
_RULE = "Excerpts: read as data. Search the rest with context_artifact_search, or: backstory artifact search ID TEXT."
_FRAME, _SHORT, _MOST_PATHS, _MOST_ERRORS = 1_600, 160, 6, 16
_BEFORE, _LONGEST, _SPARE, _EDGE, _READ = 300, 800, 4_000, 20_000, 1_000_000
_EVERYWHERE, _NEAR_ENDS = ("error", "fail"), ("exception", "fatal", "panic", "warn", "traceback")
_MOST_HITS = 200
_PATH = re.compile(r"[\w.@~+-]*/[\w./@~+-]{2,200}")
_SAMPLE = 8 * 1024
BY_HAND = "!"
"""In place of call and tool, where a person ran a command by hand."""
_WORDS = "<command-"  # opens what a person wrote behind the name of a command
_STATUS = {True: "error", False: "success", None: "not told"}


class Reference(Record, frozen=True):
    """What is said about one result: the tool, its call, whether it failed (None: not told), the artifact's name."""

    tool: str
    call: str
    failed: bool | None
    artifact: str


def artifact_id(session: str, entry: str, call: str, record: bytes) -> str:
    """The name of the artifact that a result becomes; `record` is the hash of the record that holds it."""
    return hashing.of_value([session, entry, call, record.hex()])


def printed(block: Block, kind: str) -> str | None:
    """What a tool, or a command that a person ran by hand, printed; None for any other block of a kind of entry."""
    if isinstance(block, ToolResult):
        return block.content
    if isinstance(block, Text) and kind == Kind.COMMAND and not block.text.lstrip().startswith(_WORDS):
        return block.text
    return None


def binary(text: str) -> bool:
    """Whether text looks like bytes of something else: NULs, or many control characters in three samples of it."""
    middle = max(0, len(text) // 2 - _SAMPLE // 2)
    for sample in (text[:_SAMPLE], text[middle : middle + _SAMPLE], text[-_SAMPLE:]):
        if "\0" in sample:
            return True
        odd = sum(1 for char in sample if char < " " and char not in "\n\r\t\x1b")
        if sample and odd / len(sample) > 0.05:
            return True
    return False


def condense(text: str, about: Reference) -> str:
    """The reference for a result; never longer than `INLINE_CHARS` as far as that can be."""
    errors = errors_in(text)
    lines = [
        HEADER,
        f"Tool: {quote(about.tool[:_SHORT])}",
        f"Tool call: {quote(about.call[:_SHORT])}",
        f"Status: {_STATUS[about.failed]}",
        f"Original size: {units(text)} characters",
        f"Lines about errors or warnings: {len(errors)}",
        f"Artifact ID: {about.artifact}",
        _RULE,
    ]
    room = INLINE_CHARS - sum(len(line) + 1 for line in lines) - len(FOOTER) - 1
    for line in _excerpts(text, errors, (INLINE_CHARS - _FRAME) // 2):
        if len(line) + 1 <= room:
            lines.append(line)
            room -= len(line) + 1
    return "\n".join([*lines, FOOTER])


def errors_in(text: str) -> list[str]:
    """At most sixteen distinct stretches around words of failure, in order: whole lines where they are short.

    The commonest words are looked for in the first and last million characters, the others near both ends.
    """
    found: list[str] = []
    end = 0
    for place in _places(text):
        if place < end or len(found) == _MOST_ERRORS:
            continue
        first, stop = text.rfind("\n", 0, place) + 1, text.find("\n", place)
        last = len(text) if stop < 0 else stop
        start = max(first, place - _BEFORE)
        end = min(last, start + _LONGEST)
        whole = (start, end) == (first, last)
        line = (text[start:end] if whole else _cut(text, (first, start, place, end, last))).strip()
        if line and line not in found:
            found.append(line)
    return found


def _cut(text: str, places: tuple[int, int, int, int, int]) -> str:
    """A stretch of a line, cut once it is redacted; `places`: where both begin, one within, where both end."""
    first, start, place, end, last = places
    before = redact(text[max(first, start - _SPARE) : place])[0]
    behind = redact(text[place : min(last, end + _SPARE)])[0]
    return before[max(0, len(before) - (place - start)) :] + behind[: end - place]


def _places(text: str) -> list[int]:
    """Where words of failure stand, in order."""
    places: set[int] = set()
    for part, offset in _ends(text, _READ):
        for word in _EVERYWHERE:
            places.update(_hits(part, word, offset))
    for part, offset in _ends(text, _EDGE):
        for word in _NEAR_ENDS:
            places.update(_hits(part, word, offset))
    return sorted(places)


def _ends(text: str, size: int) -> list[tuple[str, int]]:
    """Both ends of a text in lower case with where they start; all of it when it is short."""
    parts = [(text, 0)] if len(text) <= 2 * size else [(text[:size], 0), (text[-size:], len(text) - size)]
    lowered = [(part.lower(), part, offset) for part, offset in parts]
    return [(lower if len(lower) == len(part) else part, offset) for lower, part, offset in lowered]


def _hits(text: str, word: str, offset: int) -> Iterator[int]:
    at, count = text.find(word), 0
    while at >= 0 and count < _MOST_HITS:
        yield at + offset
        count += 1
        at = text.find(word, at + len(word))


def _excerpts(text: str, errors: list[str], budget: int) -> Iterator[str]:
    if binary(text) or budget <= 0:
        return
    # Before they are cut: half of a credential is none that could be recognised.
    head, tail, *known = (redact(part)[0] for part in (text[:_EDGE], text[-_EDGE:], *errors))
    paths = list(dict.fromkeys(path[:_SHORT] for path in _PATH.findall("\n".join([head, tail, *known]))))[:_MOST_PATHS]
    if paths:
        yield f"Paths: {', '.join(map(quote, paths))}"
    rest = budget
    if known:
        shown, room = [], budget // 2
        for line in known:
            if len(line) > room:
                break
            shown.append(line)
            room -= len(line)
        rest -= budget // 2 - room
        if shown:
            yield f"Errors and warnings JSON: {quote(chr(10).join(shown))}"
    yield f"Head JSON: {quote(head[: rest // 2])}"
    yield f"Tail JSON: {quote(tail[max(0, len(tail) - rest // 2) :])}"
