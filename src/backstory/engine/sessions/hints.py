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
from backstory.engine.sessions.narrow import narrowed
from backstory.records.browsing import SessionsRequest
from backstory.records.query import Mode, SearchEvents, SearchSessions
from backstory.store import browse
from backstory.text.query import FILTERS, Query, parse
from backstory.text.wording import counted

# Of two filters either can be left out.
_TWO = 2
ONE_PHRASE = "the words were looked for as one phrase, just as they stand; --mode relevance looks for any of them"
Finds = Callable[[Query], bool]


def nothing(
    engine: Engine, query: Query, warnings: Sequence[str], *, exact: bool, synced: bool, finds: Finds
) -> list[str]:
    """What to say of a search that found nothing, after its own `warnings`; `finds` tries a ranked search."""
    sessions = browse.sessions(engine.history)
    if not sessions:
        return empty(engine, synced=synced)
    if query.filters and not (exact or query.words or query.phrases):
        return [*warnings, *_conditions(query, finds, sessions, engine.now())]
    found = _exact(query, finds) if exact else _narrowed(query, finds) or _wider(query, finds)
    return [*warnings, *(found or [f"no entry of {counted(sessions, 'session')} holds this"]), *_kept(engine, query)]


def _kept(engine: Engine, query: Query) -> list[str]:
    """That what was asked for is kept as a pin or memory, which are no entries."""
    count = len(with_words(engine, " ".join(query.words)))
    held = "a pin or memory holds" if count == 1 else f"{count:,} pins and memories hold"
    return [f"{held} these words; to see that, run: backstory memory search WORDS"] if count else []


def unmatched(
    engine: Engine,
    asked: SearchSessions | SearchEvents,
    finds: Callable[[SearchSessions | SearchEvents], bool],
    *,
    synced: bool,
) -> list[str]:
    """What to say of a query that found nothing; `finds` tries another one."""
    if not browse.sessions(engine.history):
        return empty(engine, synced=synced)
    one = msgspec.structs.replace(asked, limit=1)
    if asked.mode is Mode.LITERAL:
        if len(asked.query.split()) > 1:
            return [ONE_PHRASE]
        alike = finds(msgspec.structs.replace(one, mode=Mode.RELEVANCE))
        return ["--mode relevance finds something like it"] if alike else ["no event holds this"]
    free: dict[str, tuple[()] | None] = {
        name: () for name in ("filters", "event_filters", "session_filters") if getattr(asked, name, ())
    }
    free |= {"session": None} if getattr(asked, "session", None) is not None else {}
    if free and finds(msgspec.structs.replace(one, **free)):
        return ["without these conditions there are results"]
    if not asked.expand and finds(msgspec.structs.replace(one, expand=True)):
        return ["without --no-expand words like these are found"]
    return ["no event holds these words, nor words like them"]


def unlisted(engine: Engine, request: SessionsRequest, stored: int) -> list[str]:
    """What to say of a list without a session, where so many are stored."""
    if not stored:
        return empty(engine, synced=not request.no_sync)
    asked = [f"--agent {name}" for name in request.agent]
    asked += [f"--project {part}" for part in request.project]
    return [f"none of {counted(stored, 'session')} meets {' '.join(asked)}"] if asked else []


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
    guilty = next((pairs for pairs in _keyed(query) if finds(_without(query, pairs))), query.filters)
    return [f"without {_named(guilty)} there are results"]


def _conditions(query: Query, finds: Finds, sessions: int, now: int) -> list[str]:
    """Of filters without words: those that no entry meets, else that none meets all, and the first to leave out."""
    of = f"no entry of {counted(sessions, 'session')} meets"
    each = [one for one in _keyed(query) if narrowed(msgspec.structs.replace(query, filters=one), now)[0].sql]
    never = [one for one in each if not finds(msgspec.structs.replace(query, filters=one))]
    if never:
        return [f"{of} {' or '.join(map(_named, never))}"]
    guilty = next((one for one in each if finds(_without(query, one))), None) if len(each) > _TWO else None
    freed = f"; without {_named(guilty)} there are results" if guilty else ""
    return [f"{of} {' '.join(map(_named, each))} together{freed}"]


def _keyed(query: Query) -> list[tuple[tuple[str, str], ...]]:
    """The filters of each key; entries need to meet only one of them."""
    keys = dict.fromkeys(key for key, _ in query.filters)
    return [tuple(pair for pair in query.filters if pair[0] == key) for key in keys]


def _named(filters: Sequence[tuple[str, str]]) -> str:
    return " ".join(f'{key}:"{value}"' if " " in value else f"{key}:{value}" for key, value in filters)


def _without(query: Query, dropped: Sequence[tuple[str, str]]) -> Query:
    return msgspec.structs.replace(query, filters=tuple(pair for pair in query.filters if pair not in dropped))


def _wider(query: Query, finds: Finds) -> list[str]:
    if not query.expand and finds(msgspec.structs.replace(query, expand=True)):
        return ["without --no-expand words like these are found"]
    if query.filters or query.signs:
        return []
    return ["no entry holds these words, nor words like them; --exact looks inside words"]
