"""How important each kind of message is, and the score that an explanation shows for it."""

import math

PRIORITY = {
    "system": 1_000,
    "current": 1_000,
    "pin": 950,
    "labelled": 900,
    "recent": 100,
    "memory": 90,
    "card": 88,
    "excerpt": 86,
    "retrieval": 85,
    "project": 80,
    "summary": 75,
    "history": 40,
}


def score(kind: str, last: int, count: int) -> float:
    """Priority of a kind, then how late the message stands among `count` native ones; six decimals."""
    return math.floor((PRIORITY[kind] + (last + 1) / (count + 1)) * 1e6 + 0.5) / 1e6
