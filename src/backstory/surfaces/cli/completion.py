"""Completion scripts for shells, written from the table of operations: commands, their second words and their flags.

Flags are offered once a dash is typed. Behind a flag that takes a value nothing of ours is: the shell offers files.
"""

from collections.abc import Callable, Mapping

from backstory.engine import operations
from backstory.engine.host.commands.table import COMMANDS
from backstory.errors import UsageError
from backstory.records.base import Record
from backstory.surfaces.cli.fields import fields

ITSELF = "completion"


class Following(Record, frozen=True):
    """What may follow a beginning of a line: words, flags, and which of the flags take a value."""

    words: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    valued: tuple[str, ...] = ()


def script(shell: str) -> str:
    """The script of one shell. Raises UsageError for a shell that has none."""
    if shell not in SHELLS:
        raise UsageError(f"usage: backstory {ITSELF} {'|'.join(SHELLS)}")
    return SHELLS[shell](following())


def following() -> dict[str, Following]:
    """What may follow each beginning of a line, the empty one included: commands, their second words, their flags."""
    names = [operation.name for operation in operations.OPERATIONS]
    seconds: dict[str, list[str]] = {}
    for group, _, second in (name.partition(" ") for name in names):
        seconds.setdefault(group, []).extend([second] if second else [])
    seconds["context"] = list(dict.fromkeys(command.name.split()[0] for command in COMMANDS))
    found = {"": Following((*seconds, ITSELF), ("--help", "--version")), ITSELF: Following(tuple(SHELLS))}
    found |= {group: Following(tuple(words), ("--help",)) for group, words in seconds.items()}
    for operation in operations.OPERATIONS:
        known = [field for field in fields(operations.request_type(operation)) if not field.positional]
        flags = (*(field.flag for field in known), "--json", "--help")
        valued = tuple(field.flag for field in known if field.plain is not bool)
        words = found[operation.name].words if operation.name in found else ()
        found[operation.name] = Following(words, flags, valued)
    return found


def _cases(found: Mapping[str, Following], depth: int, indent: str) -> str:
    """Branches of a `case` over the beginnings of so many words."""
    return "\n".join(
        f'{indent}"{start}") next="{" ".join(one.words)}" flags="{" ".join(one.flags)}" '
        f'valued="{" ".join(one.valued)}" ;;'
        for start, one in found.items()
        if len(start.split()) == depth
    )


def _bash(found: Mapping[str, Following]) -> str:
    first = found[""]
    return f"""_backstory() {{
    local next="{" ".join(first.words)}" flags="{" ".join(first.flags)}" valued=""
    local this="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD - 1]}}"
    if ((COMP_CWORD > 1)); then
        case "${{COMP_WORDS[1]}}" in
{_cases(found, 1, " " * 12)}
            *) next="" flags="" ;;
        esac
    fi
    if ((COMP_CWORD > 2)); then
        next=""
        case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{_cases(found, 2, " " * 12)}
        esac
    fi
    case " = $valued " in *" $before "*) next="" flags="" ;; esac
    [[ $this == -* ]] && next="$flags"
    COMPREPLY=($(compgen -W "$next" -- "$this"))
}}
complete -o default -F _backstory backstory
"""


def _zsh(found: Mapping[str, Following]) -> str:
    first = found[""]
    return f"""#compdef backstory
_backstory() {{
    local next="{" ".join(first.words)}" flags="{" ".join(first.flags)}" valued=""
    if ((CURRENT > 2)); then
        case "$words[2]" in
{_cases(found, 1, " " * 12)}
            *) next="" flags="" ;;
        esac
    fi
    if ((CURRENT > 3)); then
        next=""
        case "$words[2] $words[3]" in
{_cases(found, 2, " " * 12)}
        esac
    fi
    case " $valued " in *" $words[CURRENT-1] "*) next="" flags="" ;; esac
    [[ $words[CURRENT] == -* ]] && next="$flags"
    compadd -- ${{=next}} || _files
}}
compdef _backstory backstory
"""


def _fish(found: Mapping[str, Following]) -> str:
    lines = []
    for start, one in found.items():
        first, _, second = start.partition(" ")
        seen = f"contains -- {first} (commandline -opc)[2]" if first else "__fish_use_subcommand"
        seen += f"; and contains -- {second} (commandline -opc)[3]" if second else ""
        begun = f'complete -c backstory -n "{seen}"'
        lines += [f'{begun}{" -f" * (not start)} -a "{" ".join(one.words)}"'] if one.words else []
        lines += [f"{begun} -l {flag[2:]}{' -r' * (flag in one.valued)}" for flag in one.flags]
    return "\n".join(lines) + "\n"


SHELLS: dict[str, Callable[[Mapping[str, Following]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
