"""Where a request says it belongs before it says what it wants: `fix(search): …`, `parser: …`, `[docs] …`.

The kind of change that may stand there ("fix", "feat") says nothing about source and is dropped; the scope names a file
or a folder. Pure. Neighbours: `words` weighs the words of a scope, `retrieve.project.ranking` looks for it in
paths.
"""

import re

from backstory.records.base import Record

# What a path in scope adds to a file's score, before the prior of tests and documents.
FILE_BONUS, FOLDER_BONUS = 0.4, 0.2
SHORTEST = 3
_KIND = r"(?:feat|feature|fix|bugfix|hotfix|docs?|style|refactor|perf|tests?|build|ci|chore|revert|wip|deps|release)"
_PLACE = r"[\w./-]{2,40}"
_HEAD = re.compile(
    rf"\W{{0,4}}(?:{_KIND}(?:\((?P<of>[^()\n]{{1,60}})\))?!?:|(?P<plain>{_PLACE}(?:, ?{_PLACE}){{0,3}}):|"
    rf"\[(?P<boxed>{_PLACE}(?:[ ,/]{{1,2}}{_PLACE}){{0,3}})\]:?)(?=\W{{0,4}}\s)",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^a-z0-9]")


class ScopedRequest(Record, frozen=True):
    """A request without its head, and what the head names; nothing where there is no head."""

    text: str
    scope: str = ""

    @property
    def names(self) -> frozenset[str]:
        """The last part of each path of the scope, in letters and digits alone."""
        last = (part.rstrip("/").rpartition("/")[2] for part in re.split(r"[, ]+", self.scope))
        return frozenset(name for part in last if len(name := _name(part)) >= SHORTEST)


def scoped(text: str) -> ScopedRequest:
    """A request with its head told apart.

    >>> scoped("fix(search): keep ties").scope, scoped("parser: accept tabs").text.strip()
    ('search', 'accept tabs')
    """
    head = _HEAD.match(text)
    if not head:
        return ScopedRequest(text)
    return ScopedRequest(text[head.end() :], head["of"] or head["plain"] or head["boxed"] or "")


def bonus(path: str, names: frozenset[str]) -> float:
    """What a path earns by bearing a name of the scope: as the file's own, or as that of a folder it lies in."""
    if not names:
        return 0.0
    *folders, base = path.split("/")
    if _name(base.partition(".")[0]) in names or _name(base) in names:
        return FILE_BONUS
    return FOLDER_BONUS if any(_name(folder) in names for folder in folders) else 0.0


def _name(part: str) -> str:
    return _LETTERS.sub("", part.lower())
