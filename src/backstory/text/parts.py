"""The parts of camelCase names, found without looking at every word.

A byte class map turns text into a string over `a` (lower case, digit), `A` (upper case) and space, in which the places
where a name changes case are found by substring search. Only names found so are cut, once each per text.
"""

import re

from backstory.text.fold import LEADS, apart

# Everything else is a space, but for the bytes that may begin a CJK letter.
_TABLE = bytes(
    97 if 97 <= code <= 122 or 48 <= code <= 57 else 65 if 65 <= code <= 90 else 1 if code in LEADS else 32
    for code in range(256)
)
_PARTS = re.compile(rb"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# A pattern looks for this one faster than substring search does, as its letters are frequent.
_ACRONYM = re.compile(rb"AAa")
_LONGEST = 80
_MEMO_SIZE = 100_000
_memo: dict[bytes, bytes] = {}


def camel_parts(text: str) -> str:
    """The parts of every camelCase name in `text`, each name once, separated by spaces; empty when there is none.

    >>> camel_parts("call parseHTTPRequest(fooBar) twice: fooBar")
    'parse HTTP Request foo Bar'
    """
    raw = text.encode("utf-8", "replace")
    return _parts(raw, raw.translate(_TABLE).replace(b"\1", b" ")).decode()


def searchable(raw: bytes, *, most: int | None = None) -> tuple[bytes, bytes]:
    """What the full-text indexes see of a text, in one pass: `fold.spaced` and `camel_parts` of it, all in UTF-8.

    Only names that begin in the first `most` bytes are cut.
    """
    seen = raw if most is None else raw[: most + _LONGEST + 1]
    classes = seen.translate(_TABLE)
    folded = raw
    if not raw.isascii():
        if 1 in (classes if seen is raw else raw.translate(_TABLE)):
            folded = apart(raw.decode()).encode()
        classes = classes.replace(b"\1", b" ")
    if most is not None and (end := classes.find(b" ", most)) >= 0:
        classes = classes[:end]
    return folded, _parts(raw, classes)


def _parts(raw: bytes, classes: bytes) -> bytes:
    find, before = classes.find, classes.rfind
    names: dict[bytes, None] = {}
    at = find(b"aA")
    while at >= 0:
        start, end = before(b" ", 0, at) + 1, find(b" ", at)
        end = len(classes) if end < 0 else end
        if end - start <= _LONGEST:
            names[raw[start:end]] = None
        at = find(b"aA", end)
    found = _ACRONYM.search(classes)
    while found:
        at = found.start()
        start, end = before(b" ", 0, at) + 1, find(b" ", at)
        end = len(classes) if end < 0 else end
        if end - start <= _LONGEST:
            names[raw[start:end]] = None
        found = _ACRONYM.search(classes, end)
    return b" ".join([_memo.get(name) or _split(name) for name in names])


def _split(name: bytes) -> bytes:
    if len(_memo) >= _MEMO_SIZE:
        _memo.clear()
    parts = b" ".join(_PARTS.findall(name))
    _memo[name] = parts
    return parts
