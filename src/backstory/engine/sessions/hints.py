"""What to tell a person whose question found nothing: that nothing is indexed, or what kept the answer out.

Neighbours: `engine.sessions.search` and `engine.sessions.browse` ask, and load it only then; so does
`engine.planning.retention`. Nothing here changes what they answer. To find out, only ranked searches are tried, which
are bounded: a literal one may read the whole store.
"""

from collections.abc import Callable, Sequence

import msgspec

from backstory.engine.indexing.places import added_places, default_places
from backstory.engine.memory.finding import with_words
from backstory.engine.open import Engine
from backstory.store import browse
from backstory.text.query import FILTERS, Query, parse
from backstory.text.wording import counted

Finds = Callable[[Query], bool]


def nothing(
    engine: Engine, query: Query, warnings: Sequence[str], *, exact: bool, synced: bool, finds: Finds
) -> list[str]:
    """What to say of a search that found nothing, after its own `warnings`; `finds` tries a ranked search."""
    sessions = browse.sessions(engine.history)
    if not sessions:
        return empty(engine, synced=synced)
    found = _exact(query, finds) if exact else _narrowed(query, finds) or _wider(query, finds)
    return [*warnings, *(found or [f"no entry of {counted(sessions, 'session')} holds this"]), *_kept(engine, query)]


def _kept(engine: Engine, query: Query) -> list[str]:
    """That what was asked for is kept as a pin or memory, which are no entries."""
    count = len(with_words(engine, " ".join(query.words)))
    held = "a pin or memory holds" if count == 1 else f"{count:,} pins and memories hold"
    return [f"{held} these words; to see that, run: backstory memory search WORDS"] if count else []


def empty(engine: Engine, *, synced: bool) -> list[str]:
    """That nothing is indexed, where was looked, and what to run."""
    if not synced:
        return ["nothing is indexed yet; run: backstory index"]
    looked = ", ".join(dict.fromkeys(place.path for place in (*added_places(engine), *default_places(engine))))
    return [
        f"nothing is indexed: there are no sessions in {looked}",
        "to add a place, run: backstory index --root AGENT=PATH; backstory sources tells more",
    ]


def _exact(query: Query, finds: Finds) -> list[str]:
    found = ["without --exact something like it is found"] if finds(parse(query.text)) else []
    typed = [word for word in query.text.split() if word.partition(":")[0] in FILTERS and ":" in word]
    return [*found, f"with --exact, {typed[0]} is text to be found, not a filter"] if typed else found


def _narrowed(query: Query, finds: Finds) -> list[str]:
    """The first key whose filters keep everything out by themselves, else all filters together."""
    if not query.filters or not finds(_without(query, query.filters)):
        return []
    keys = dict.fromkeys(key for key, _ in query.filters)
    each = ([pair for pair in query.filters if pair[0] == key] for key in keys)
    guilty = next((pairs for pairs in each if finds(_without(query, pairs))), query.filters)
    named = " ".join(f"{key}:{value}" for key, value in guilty)
    return [f"without {named} there are results"]


def _without(query: Query, dropped: Sequence[tuple[str, str]]) -> Query:
    return msgspec.structs.replace(query, filters=tuple(pair for pair in query.filters if pair not in dropped))


def _wider(query: Query, finds: Finds) -> list[str]:
    if not query.expand and finds(msgspec.structs.replace(query, expand=True)):
        return ["without --no-expand words like these are found"]
    if query.filters or query.signs:
        return []
    return ["no entry holds these words, nor words like them; --exact looks inside words"]
