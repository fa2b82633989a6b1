"""Finds pins and memories by their words, whichever session or project keeps them: for a person, never for a model.

Entries that hold them are not found by `search`: a record is a step in the life of what is kept, not what holds now.
What is found here is what the fold makes of all of them. Selection for calls is `engine.memory.state`.
"""

import unicodedata

from backstory.engine.memory import sync
from backstory.engine.open import Engine
from backstory.errors import InvalidLimitError, InvalidQueryError
from backstory.records.memory import Kept
from backstory.records.memory_requests import KeptList, KeptSearchRequest
from backstory.store import memory

MOST = 1_000


def find(engine: Engine, request: KeptSearchRequest) -> KeptList:
    """Items that hold all of the words, in text, key or id: those with the words in this order first, then the newest.

    Raises:
        InvalidQueryError, InvalidLimitError: the request makes no sense.
        DatabaseError: the index cannot be used.
    """
    if not 1 <= request.limit <= MOST:
        raise InvalidLimitError(f"--limit is 1 to {MOST}, not {request.limit}")
    if not "".join(request.query).strip():
        raise InvalidQueryError("there is nothing to search for")
    sync.refresh(engine)
    with engine.history.read():
        items = with_words(engine, " ".join(request.query), everything=request.all)
    more = (f"{len(items) - request.limit:,} more; --limit shows them",) if len(items) > request.limit else ()
    return KeptList(tuple(items[: request.limit]), more)


def with_words(engine: Engine, text: str, *, everything: bool = False) -> list[Kept]:
    """Items that hold all words of a text, the best first; only active ones unless `everything`."""
    phrase = _folded(text)
    words = phrase.split()
    ranked: list[tuple[bool, bool, int, str, Kept]] = []
    for item in memory.everything(engine.history):
        if not everything and item.status != "active":
            continue
        held = _folded(f"{item.text}\n{item.key or ''}\n{item.id}")
        if words and all(word in held for word in words):
            ranked.append((phrase not in held, item.status != "active", -item.created, item.id, item))
    return [rank[-1] for rank in sorted(ranked, key=lambda rank: rank[:-1])]


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
