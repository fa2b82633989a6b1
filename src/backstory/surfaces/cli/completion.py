"""Completion scripts for shells, written from the table of operations: commands, their second words and their flags."""

from collections.abc import Callable, Mapping
from typing import cast

import msgspec

from backstory.engine import operations
from backstory.engine.host.commands.table import COMMANDS
from backstory.errors import UsageError

Words = Mapping[str, tuple[str, ...]]


def script(shell: str) -> str:
    """The script of one shell. Raises UsageError for a shell that has none."""
    if shell not in SHELLS:
        raise UsageError(f"usage: backstory completion {'|'.join(SHELLS)}")
    return SHELLS[shell](following())


def following() -> Words:
    """What may follow each beginning of a line: after "" the commands, after a group its second words, then flags."""
    words: dict[str, tuple[str, ...]] = {"": tuple(dict.fromkeys(name.split()[0] for name in _names()))}
    for operation in operations.OPERATIONS:
        group, _, second = operation.name.partition(" ")
        words[operation.name] = words.get(operation.name, ()) + _flags(operation)
        if second:
            words[group] = (*words.get(group, ()), second)
    inside = dict.fromkeys(command.name.split()[0] for command in COMMANDS)
    words["context"] = (*inside, *words["context"])
    return words


def _names() -> list[str]:
    return [operation.name for operation in operations.OPERATIONS]


def _flags(operation: operations.Operation) -> tuple[str, ...]:
    request = cast("msgspec.inspect.StructType", msgspec.inspect.type_info(operations.request_type(operation)))
    named = [field.name for field in request.fields if not _positional(field.type)]
    return (*(f"--{name.replace('_', '-')}" for name in named), "--json", "--help")


def _positional(kind: msgspec.inspect.Type) -> bool:
    return isinstance(kind, msgspec.inspect.Metadata) and bool((kind.extra or {}).get("positional"))


def _cases(words: Words, form: str) -> str:
    return "\n".join(form.format(start=start, next=" ".join(found)) for start, found in words.items() if start)


def _bash(words: Words) -> str:
    return f"""_backstory() {{
    local next="{" ".join(words[""])}"
    if ((COMP_CWORD > 1)); then
        case "${{COMP_WORDS[1]}}" in
{_cases(_first(words), '            "{start}") next="{next}" ;;')}
            *) next="" ;;
        esac
    fi
    if ((COMP_CWORD > 2)); then
        case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{_cases(_second(words), '            "{start}") next="{next}" ;;')}
        esac
    fi
    COMPREPLY=($(compgen -W "$next" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _backstory backstory
"""


def _zsh(words: Words) -> str:
    return f"""#compdef backstory
_backstory() {{
    local next="{" ".join(words[""])}"
    if ((CURRENT > 2)); then
        case "$words[2]" in
{_cases(_first(words), '            "{start}") next="{next}" ;;')}
            *) next="" ;;
        esac
    fi
    if ((CURRENT > 3)); then
        case "$words[2] $words[3]" in
{_cases(_second(words), '            "{start}") next="{next}" ;;')}
        esac
    fi
    compadd -- ${{=next}} || _files
}}
compdef _backstory backstory
"""


def _fish(words: Words) -> str:
    lines = [f'complete -c backstory -f -n __fish_use_subcommand -a "{" ".join(words[""])}"']
    for start, found in words.items():
        first, _, second = start.partition(" ")
        seen = f"__fish_seen_subcommand_from {first}" + (f"; and __fish_seen_subcommand_from {second}" * bool(second))
        if start:
            lines.append(f'complete -c backstory -n "{seen}" -a "{" ".join(found)}"')
    return "\n".join(lines) + "\n"


def _first(words: Words) -> Words:
    return {start: found for start, found in words.items() if " " not in start}


def _second(words: Words) -> Words:
    return {start: found for start, found in words.items() if " " in start}


SHELLS: dict[str, Callable[[Words], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
