"""The parts of camelCase names, found without looking at every word.

A byte class map turns text into a string over `a` (lower case, digit), `A` (upper case) and space, in which the places
where a name changes case are found by substring search. Only names found so are cut, once each per text.
"""

import re

_TABLE = bytes(97 if 97 <= code <= 122 or 48 <= code <= 57 else 65 if 65 <= code <= 90 else 32 for code in range(256))
_PARTS = re.compile(rb"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_BOUNDARIES = (b"aA", b"AAa")
_LONGEST = 80
_MEMO_SIZE = 100_000
_memo: dict[bytes, bytes] = {}


def camel_parts(text: str) -> str:
    """The parts of every camelCase name in `text`, each name once, separated by spaces; empty when there is none.

    >>> camel_parts("call parseHTTPRequest(fooBar) twice: fooBar")
    'parse HTTP Request foo Bar'
    """
    raw = text.encode("utf-8", "replace")
    mapped = raw.translate(_TABLE)
    names: dict[bytes, None] = {}
    for boundary in _BOUNDARIES:
        at = mapped.find(boundary)
        while at >= 0:
            start = mapped.rfind(b" ", 0, at) + 1
            end = mapped.find(b" ", at)
            end = len(raw) if end < 0 else end
            if end - start <= _LONGEST:
                names[raw[start:end]] = None
            at = mapped.find(boundary, end)
    return b" ".join([_memo.get(name) or _split(name) for name in names]).decode() if names else ""


def _split(name: bytes) -> bytes:
    if len(_memo) >= _MEMO_SIZE:
        _memo.clear()
    parts = b" ".join(_PARTS.findall(name))
    _memo[name] = parts
    return parts
