"""What the command line answers where no command was named: lists of commands, and what a wrong name may have meant.

A usual command line needs none of this, so `main` loads it only then. How alike two words are is in `near`.
"""

from collections.abc import Sequence
from itertools import chain, islice

from backstory.engine import operations
from backstory.engine.operations import Operation
from backstory.errors import UsageError, quoted
from backstory.surfaces.cli import exit_codes
from backstory.surfaces.cli.near import alike, slip
from backstory.surfaces.cli.terminal import Terminal

# What the command line does without the engine, as the list of commands shows it.
OWN = {"completion": "print what lets bash, zsh or fish complete commands", "--version": "print the version"}
# What the commands of a group are about, where none is called as the group.
ABOUT = {
    "query": "exact answers for programs",
    "manifest": "what planned calls held",
    "artifact": "large tool results",
    "eval": "how good plans are",
    "memory": "what is remembered",
    "project": "source of a project that you trust",
    "pi": "the extension for the Pi coding agent",
    "config": "settings",
}
# The first words of all commands, by what they are for.
SECTIONS = (
    ("Find and read", ("search", "sessions", "show", "query")),
    ("Look after the index", ("sources", "index", "verify", "forget", "rebuild", "health", "storage", "vacuum")),
    ("Plan what a model sees", ("plan", "manifest", "artifact", "eval", "context")),
    ("Keep something in view", ("pin", "unpin", "pins", "memory")),
    ("Find the source a request is about", ("project",)),
    ("Take part in an agent", ("pi",)),
    ("Set up", ("config", "completion", "--version")),
)
OPTIONS = ("--version", "--help")
HELP = frozenset(("-h", "--help", "help"))
# Whoever types so many words that are no command is likely to look for them.
A_QUESTION = 3


def told(words: Sequence[str], terminal: Terminal) -> int:
    """Lists the commands, those of a group, or says that a group has none of this name; gives the exit code.

    Raises:
        UsageError: there is no such command.
    """
    words = words[1:] if words[:1] == ["help"] else words
    if not words or words[0] in HELP:
        terminal.page(_commands(terminal))
        return exit_codes.DONE
    seconds = [one.name.partition(" ")[2] for one in _group(words[0])]
    if seconds and (len(words) == 1 or words[1] in HELP):
        terminal.page(_of_group(words[0], terminal))
        return exit_codes.DONE
    if words[bool(seconds)].startswith("-") and not alike(words[0], OPTIONS):
        raise UsageError(f"no option stands before a command; write it behind: {_behind(words)}")
    if not seconds:
        raise UsageError(f"no command is called {quoted(words[0])}", advice=_hint(words))
    near = [f"{words[0]} {one}" for one in alike(words[1], seconds)]
    which = meant(near) if near else "these exist"
    terminal.complain(f"no command is called {quoted(' '.join(words[:2]))}; {which} [{UsageError.code}]")
    terminal.tell(_of_group(words[0], terminal))
    return exit_codes.USAGE


def meant(names: Sequence[str]) -> str:
    """The commands that somebody may have meant, as a question."""
    return f"did you mean: {', or '.join(f'backstory {one}' for one in names)}"


def slipped(words: Sequence[str]) -> str | None:
    """The command of two words that the first two may have meant, where the first of them is a command by itself."""
    seconds = [one.name.partition(" ")[2] for one in _group(words[0])]
    found = [one for one in seconds if len(words) > 1 and slip(words[1], one)]
    return meant([f"{words[0]} {found[0]}"]) if found else None


def _behind(words: Sequence[str]) -> str:
    """A line with its first option at its place, as far as the command is told."""
    option = next(word for word in words if word.startswith("-"))
    plain = [word for word in words if word != option]
    named = next(filter(None, (operations.find(plain[at:]) for at in range(len(plain)))), None)
    group = f"{words[0]} " if words[0] != option else ""
    return f"backstory {named[0].name if named else f'{group}COMMAND'} … {option}"


def _hint(words: Sequence[str]) -> str:
    names = [one.name for one in operations.OPERATIONS]
    groups = dict.fromkeys(first for first, second, _ in (name.partition(" ") for name in names) if second)
    if near := alike(words[0], dict.fromkeys((*groups, *names, "completion", *OPTIONS))):
        return meant(near)
    if words[0] == "rpc":
        return "rpc stands alone, and is what an agent starts to talk to"
    if len(words) >= A_QUESTION or " " in words[0]:
        return "to look for these words, write: backstory search WORDS"
    return "backstory --help lists the commands"


def _group(word: str) -> list[Operation]:
    return [one for one in operations.OPERATIONS if one.name.startswith(f"{word} ")]


def _commands(terminal: Terminal) -> str:
    """The commands by what they are for; those of two words on the line of the first, so that all fit a screen."""
    rows = [(first, _summary(first)) for _, firsts in SECTIONS for first in firsts]
    lines = iter(_rows(rows, terminal))
    told = [[terminal.style(heading, "bold"), *islice(lines, len(firsts)), ""] for heading, firsts in SECTIONS]
    begin = "To begin, type what you remember: backstory search WORDS\n"
    return _listed("COMMAND", [*chain.from_iterable(told)][:-1], terminal) + begin


def _summary(first: str) -> str:
    """What a command does, or a group is about, and the second words of the others that begin with it."""
    found = operations.find([first])
    summary = found[0].summary if found else OWN.get(first) or ABOUT[first]
    seconds = ", ".join(one.name.partition(" ")[2] for one in _group(first))
    return f"{summary}{'; also' if found else ':'} {seconds}" if seconds else summary


def _of_group(word: str, terminal: Terminal) -> str:
    rows = [(one.name, one.summary) for one in operations.OPERATIONS if one.name.split()[0] == word]
    return _listed(f"{word} COMMAND", _rows(rows, terminal), terminal)


def _rows(rows: Sequence[tuple[str, str]], terminal: Terminal) -> list[str]:
    width = max(len(name) for name, _ in rows)
    return [terminal.hang(f"  {name:<{width}}  {summary}") for name, summary in rows]


def _listed(form: str, lines: Sequence[str], terminal: Terminal) -> str:
    more = terminal.hang(f"backstory {form} --help tells more.")
    return "\n".join([f"usage: backstory {form} …", "", *lines, "", more, ""])
