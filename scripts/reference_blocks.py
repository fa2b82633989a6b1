"""Makes the parts of the documentation that are taken from the program itself: commands, errors, sources, answers.

Each block is one function from nothing to Markdown. Prose stands in the pages around them (see `reference`).
"""

import argparse
import inspect
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from reference_types import Field, fields, plain, records, words
from reference_types import parts as kinds

from backstory import errors
from backstory.engine import operations
from backstory.engine.operations import OPERATIONS, Operation
from backstory.errors import BackstoryError
from backstory.records.config import Config
from backstory.sources import registry, unsupported
from backstory.sources.locations import Location
from backstory.surfaces.cli import exit_codes
from backstory.surfaces.cli.parser import build


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in lines
    )


def command_list() -> str:
    """Every command with one line."""
    rows = []
    for one in OPERATIONS:
        anchor = "backstory-" + one.name.replace(" ", "-")
        rows.append((f"[`{one.name}`](#{anchor})", one.summary, "" if one.read_only else "yes"))
    return table(("command", "does", "writes"), rows)


def commands() -> str:
    """Every command with its arguments."""
    return "\n\n".join(map(_command, OPERATIONS))


def _command(operation: Operation) -> str:
    request = operations.request_type(operation)
    found = fields(request)
    actions = build(operation.name, "", request)._actions  # noqa: SLF001
    usage = sorted(
        (_usage(one) for one in actions if one.dest not in {"help", "json"}), key=lambda text: "-" in text[:2]
    )
    about = inspect.cleandoc(operations.about(operation))
    lines = [f"## backstory {operation.name}", "", about, "", f"    backstory {' '.join([operation.name, *usage])}"]
    if found:
        rows = [(f"`{_flag(field)}`", _help(field)) for field in found]
        lines += ["", table(("argument", "meaning"), rows)]
    return "\n".join(lines)


def _usage(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    if not action.option_strings:
        return {"+": f"{value}…", "*": f"[{value}…]", "?": f"[{value}]"}.get(str(action.nargs), value)
    text = f"{action.option_strings[0]} {value}".strip()
    return text if action.required else f"[{text}]"


def _flag(field: Field) -> str:
    if field.positional:
        return field.name.upper()
    many, kind = plain(field.type)
    value = "" if kind is bool and not many else f" {field.name.rsplit('_', 1)[-1].upper()}"
    return f"--{field.name.replace('_', '-')}{value}"


def _help(field: Field) -> str:
    many, kind = plain(field.type)
    notes = ["may be repeated"] if many and not field.positional else []
    if not many and kind is not bool and field.default not in {None, ""}:
        notes.append(f"default: {field.default}")
    return field.help + (f" ({'; '.join(notes)})" if notes else "")


def error_codes() -> str:
    """Every error with its code and exit code."""
    rows = []
    for depth, error in _tree(BackstoryError, 0):
        meaning = (inspect.getdoc(error) or "").split("\n\n")[0]
        name, advice = f"{'· ' * depth}{error.__name__}", error.__dict__.get("advice", "")
        rows.append((f"`{error.code}`", name, meaning, advice, str(_exit(error))))
    return table(("code", "class", "meaning", "what helps", "exit code"), rows)


def _tree(error: type[BackstoryError], depth: int) -> list[tuple[int, type[BackstoryError]]]:
    order = list(vars(errors).values())
    below = sorted((one for one in error.__subclasses__() if one in order), key=order.index)
    return [(depth, error), *(row for one in below for row in _tree(one, depth + 1))]


def _exit(error: type[BackstoryError]) -> int:
    return next(code for family, code in exit_codes.CODES if issubclass(error, family))


def sources() -> str:
    """Every agent whose sessions are read."""
    return "\n\n".join(_source(registry.load(name).location) for name in registry.ROWS)


def _source(location: Location) -> str:
    rows = [
        (f"`{base.variable}` is set" if base.variable else "else", _folders(base.paths, base.variable))
        for base in location.places
    ]
    places = table(("when", "folders"), rows) if rows else "No default place; add one with `--root`."
    resume = f"`{location.resume}`" if location.resume else "there is no command for it"
    nested = "" if location.nested or not location.resume else "; subagents cannot be resumed"
    suffixes = ", ".join(f"`{suffix}`" for suffix in location.suffixes)
    facts = f"- name: `{location.name}`\n- files: {suffixes}\n- resumed by: {resume}{nested}"
    return f"## {location.title}\n\n{facts}\n\n{places}"


def _folders(paths: Sequence[str], variable: str | None) -> str:
    base = f"${variable}" if variable else "~"
    return ", ".join(f"`{path.replace('{base}', base)}`" for path in paths)


def supported() -> str:
    """One line per agent that is read."""
    rows = []
    for name in registry.ROWS:
        location = registry.load(name).location
        default = [path for base in location.places if base.variable is None for path in base.paths]
        rows.append((location.title, f"`{name}`", _folders(default, None) or "added with `--root`"))
    return table(("agent", "name", "sessions"), rows)


def recognised_agents() -> str:
    """Every agent that is named when its sessions are on disk, and not read."""
    names = {
        "{home}": "~",
        "{data}": "~/.local/share",
        "{config}": "~/.config",
        "{support}": "~/Library/Application Support",
    }
    rows = []
    for agent in unsupported.AGENTS:
        shown = ", ".join(f"`{_named(place, names)}`" for place in agent.places)
        moved = f", or `${agent.variable}`" if agent.variable else ""
        rows.append((agent.title, f"`{agent.name}`", shown + moved, ", ".join(f"`{file}`" for file in agent.files)))
    return table(("agent", "name", "looked for in", "files"), rows)


def _named(place: str, names: Mapping[str, str]) -> str:
    for mark, name in names.items():
        place = place.replace(mark, name)
    return place


def answers() -> str:
    """The shape of every answer."""
    given = {one.name: get_type_hints(operations.handler(one))["return"] for one in OPERATIONS}
    found = list(dict.fromkeys(record for answer in given.values() for record in records(answer)))
    names = _names(found)
    listed = table(
        ("command", "answer"), [(f"`{name} --json`", words(answer, names)) for name, answer in given.items()]
    )
    return "\n\n".join([listed, *(_record(record, names) for record in sorted(found, key=lambda one: names[one]))])


def _names(found: Sequence[type[Any]]) -> dict[type[Any], str]:
    """A name per record; records of one name take their module's before it."""
    taken = [record.__name__ for record in found]
    return {
        record: record.__name__
        if taken.count(record.__name__) == 1
        else record.__module__.rpartition(".")[2].capitalize() + record.__name__
        for record in found
    }


def _record(record: type[Any], names: Mapping[type[Any], str]) -> str:
    rows = [(f"`{field.name}`", words(field.type, names)) for field in fields(record)]
    config = record.__struct_config__
    if config.tag is not None:
        rows.insert(0, (f"`{config.tag_field}`", f"always `{config.tag}`"))
    about = inspect.cleandoc(record.__doc__ or "")
    return f"## {names[record]}\n\n{about}\n\n{table(('field', 'type'), rows)}"


def settings() -> str:
    """Every setting: a table for each table of the settings file."""
    parts = []
    plain_ones = []
    for name, hint in get_type_hints(Config, include_extras=True).items():
        record = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        if isinstance(record, type) and issubclass(record, msgspec.Struct):
            parts.append(_section(f"[{name}]", record))
        elif get_origin(record) is dict:
            parts.append(_section(f'[{name}."PROVIDER/MODEL"]', get_args(record)[1]))
        else:
            plain_ones.append(_setting(name, hint, getattr(Config(), name)))
    head = table(("key", "holds", "default", "meaning"), plain_ones)
    return "\n\n".join([f"### Above all tables\n\n{head}", *parts])


def _section(title: str, record: type[Any]) -> str:
    about = (inspect.getdoc(record) or "").split("\n\n")[0].replace("\n", " ")
    hints = get_type_hints(record, include_extras=True)
    rows = [_setting(name, hint, getattr(record(), name)) for name, hint in hints.items()]
    return f"### `{title}`\n\n{about}\n\n" + table(("key", "holds", "default", "meaning"), rows)


def _setting(name: str, hint: Any, default: Any) -> tuple[str, str, str, str]:
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    kind = get_args(hint)[0] if notes else hint
    meaning = next((note.description for note in notes if getattr(note, "description", None)), "")
    options = [part for part in kinds(kind) if part is not NoneType]
    nested = [part for part in options if isinstance(part, type) and issubclass(part, msgspec.Struct)]
    told = "table: " + ", ".join(f"`{field}`" for field in nested[0].__struct_fields__) if nested else None
    shown = msgspec.to_builtins(default)
    value = "" if shown in (None, {}) else f"`{msgspec.json.encode(shown).decode()}`"
    return f"`{name}`", told or " or ".join(words(part, {}) for part in options), value, meaning
