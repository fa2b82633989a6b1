"""Says which files below added places hold nothing that any agent wrote, and why the first of them seem so.

Default places are left out: agents keep files of their own beside their sessions there.
"""

import os
from collections.abc import Iterable
from pathlib import PurePath

from backstory.config.paths import open_file
from backstory.engine.open import Engine
from backstory.errors import UnreadableSourceError
from backstory.records.problem import Problem
from backstory.sources import registry, unsupported
from backstory.sources.discover import Place
from backstory.sources.recognise import HEAD, recognise
from backstory.store import sessions

MOST_NAMED = 20


def over(engine: Engine, places: Iterable[Place]) -> tuple[int, tuple[Problem, ...]]:
    """How many files below these places are passed over, and the first of them by name, with the reason."""
    roots = [place.path for place in places]
    with engine.history.read():
        ignored = sessions.ignored(engine.history)
    found = [path for path in ignored if any(PurePath(path).is_relative_to(root) for root in roots)]
    there = [path for path in found if os.path.exists(path)]
    return len(there), tuple(Problem(path, _reason(path)) for path in there[:MOST_NAMED])


def _reason(path: str) -> str:
    sources = [registry.load(name) for name in registry.names()]
    suffixes = sorted({suffix for source in sources for suffix in source.location.suffixes})
    if not path.endswith(tuple(suffixes)):
        return f"its name ends in none of {', '.join(suffixes)}"
    try:
        with open_file(path) as file:
            head = file.read(HEAD)
        if recognise(path, sources) is not None:
            return "its session was forgotten"
    except (OSError, UnreadableSourceError):
        return "it cannot be read now"
    if not head.strip():
        return "it is empty"
    known = unsupported.identify(path, head)
    return f"{known.title} is not supported yet" if known else "it does not begin as any agent begins its sessions"
