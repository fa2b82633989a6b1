"""Which files the tests that speak of a request are about, and how much that counts for them.

Tests say in plain words what a file does, and are named after it. Only files that match well already gain by it, and
the two best stay where they are. Pure. Neighbours: `scores` scored the files before, `companions` completes them.
"""

import re
from collections import Counter
from collections.abc import Sequence

from backstory.retrieve.project.scores import Signals, best_first, is_code, is_test, text_score

# What the best text would earn, and the places whose files may earn it.
TESTED_SHARE = 0.3
SETTLED, REACH = 2, 10
SHORTEST = 3
_SUFFIX = re.compile(r"\.[A-Za-z]{1,5}$")
_MARK = re.compile(r"^test[_-]?|[._-](?:tests?|spec)$|Tests?$")


def with_tested(scored: Sequence[tuple[Signals, float]]) -> list[tuple[Signals, float]]:
    """The files again, the third to the tenth raised where tests of theirs are among all and speak of the request.

    What several files may be tested by is divided among them.
    """
    spoken: dict[str, float] = {}
    for item, _ in scored:
        if item.chunks and is_test(item.path):
            name = subject(item.path)
            spoken[name] = max(spoken.get(name, 0.0), text_score(item.chunks))
    most = max((text_score(item.chunks) for item, _ in scored), default=0.0) if spoken else 0.0
    if not most:
        return list(scored)
    names = {item.id: _stem(item.path) for item, _ in scored if is_code(item.path)}
    alike = Counter(names.values())
    reached = []
    for item, score in scored[SETTLED:REACH]:
        name = names.get(item.id, "")
        gain = spoken.get(name, 0.0) / most / alike[name] if len(name) >= SHORTEST else 0.0
        reached.append((item, score + TESTED_SHARE * gain))
    return [*scored[:SETTLED], *best_first(reached), *scored[REACH:]]


def subject(path: str) -> str:
    """What a test is named after.

    >>> subject("tests/test_cursor.py"), subject("src/cursor.spec.ts"), subject("a/CursorTest.java")
    ('cursor', 'cursor', 'cursor')
    """
    return _MARK.sub("", _bare(path)).strip("_").lower()


def _stem(path: str) -> str:
    return _bare(path).strip("_").lower()


def _bare(path: str) -> str:
    return _SUFFIX.sub("", path.rpartition("/")[2])
