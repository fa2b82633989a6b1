"""The working-set card: exact names that the history holds and the messages around it no longer show.

Three sections share the room, and what one leaves the next may use: files with their last action, number of edits and
user turn; commands with how they ended; identifiers and numbers, under their file where that is listed too. Names that
stand literally in the recent tail or the request are left out.
"""

from collections.abc import Container, Iterable, Sequence
from operator import mul

from backstory.plan.evidence.largest import Largest, best
from backstory.plan.evidence.working import WorkingSet
from backstory.records.base import Record
from backstory.text.values import PATH

_FILES, _COMMANDS = 0.20, 0.25
_LONGEST_COMMAND = 200
_SEPARATOR = 2
_STANDING = 8
_USUAL = 16  # characters of most names at least, with what separates them


class Card(Record, frozen=True):
    """The text of a card and the positions of the entries its newest facts come from."""

    text: str
    sources: tuple[int, ...]


class DeedLines(Record, frozen=True):
    """Lines of files by their paths, and lines of commands."""

    files: dict[str, str]
    commands: list[str]


def deeds(working: WorkingSet, shown: Container[str], until: int, room: int) -> DeedLines:
    """What a card of at most `room` characters says of files and commands; the rest of it is as in `card`."""
    files = _files(working, shown, until, int(room * _FILES))
    allowed = int(room * (_FILES + _COMMANDS)) - sum(map(len, files.values()))
    return DeedLines(files, _commands(working, shown, until, allowed))


def ranked(working: WorkingSet, worth: Sequence[float], room: int) -> Largest:
    """The values by worth per length, for a card of `room` characters."""
    return Largest(list(map(mul, worth, working.brevity)), room // _USUAL)


def card(
    working: WorkingSet, worth: Sequence[float], order: Iterable[int], done: DeedLines, until: int, room: int
) -> Card | None:
    """The card of at most `room` characters, None when there is nothing to say.

    `worth` is that of every value by its id, 0 for those said at or after the entry at position `until`; `done` are
    the `deeds` for that room. `order` has all values as they were `ranked`, whatever became worth nothing since.
    """
    files, commands = done.files, done.commands
    spent = sum(map(len, files.values())) + sum(len(line) + 1 for line in commands)
    under, others = _identifiers(working, worth, order, files, room - spent)
    lines = [f"{line}: {', '.join(names)}" if (names := under[path]) else line for path, line in files.items()]
    text = "\n".join(
        [
            *(["Files (action, edits, user turn):", *lines] if lines else []),
            *(["Commands:", *commands] if commands else []),
            *(["Other names:", ", ".join(others)] if others else []),
        ]
    )
    return Card(text, _sources(working, worth, until)) if text else None


def _files(working: WorkingSet, shown: Container[str], until: int, room: int) -> dict[str, str]:
    """Lines of the files, the most worked on first; `shown` are names that stand in the tail or the request already."""
    found: dict[str, str] = {}
    for path, file in working.deeds.ranked_files():
        id_ = working.ids.get((PATH, path))
        if path in shown or (id_ is not None and working.last[id_] >= until):
            continue
        edits = f" E{file.edits}" if file.edits else ""
        line = f"{path} {file.action}{edits} t{file.turn}"
        room -= len(line) + 1
        if room < 0:
            break
        found[path] = line
    return found


def _commands(working: WorkingSet, shown: Container[str], until: int, room: int) -> list[str]:
    """Lines of the commands last run before the tail, by how often and recently they ran."""
    found: list[str] = []
    for ran, run in working.deeds.ranked_commands():
        if run.last >= until or ran in shown or not ran or len(ran) > _LONGEST_COMMAND:
            continue
        line = f"{ran} [{run.outcome}]" if run.outcome else ran
        room -= len(line) + 1
        if room < 0:
            break
        found.append(line)
    return found


def _identifiers(
    working: WorkingSet, worth: Sequence[float], order: Iterable[int], files: dict[str, str], room: int
) -> tuple[dict[str | None, list[str]], list[str]]:
    """Identifiers and numbers in their order: those of each file, and the rest.

    A name is not listed again where it is a part of one that is.
    """
    names, homes, parts = working.names, working.home, working.parts
    under: dict[str | None, list[str]] = {path: [] for path in files}
    others: list[str] = []
    listed: set[str] = set()
    for id_ in order:
        kind, name = names[id_]
        if name in listed or not worth[id_] or (name in files and kind == PATH):
            continue
        room -= len(name) + _SEPARATOR
        if room < 0:
            break
        listed.add(name)
        if parts[id_]:
            listed.update(parts[id_])
        under.get(homes[id_], others).append(name)
    return under, others


def _sources(working: WorkingSet, worth: Sequence[float], until: int) -> tuple[int, ...]:
    """A few entries that stand for the card: where the worthiest values were last said."""
    found = sorted({working.last[id_] for id_ in best(worth, _STANDING)})
    return tuple(found) if found else tuple(range(max(0, until - 1), until))
