"""Makes the reference of what is offered inside an agent: `/context` commands and the model's tools."""

from collections.abc import Mapping, Sequence
from typing import Any

from reference_blocks import table

from backstory.engine.host.commands.table import COMMANDS, LATER
from backstory.engine.host.persistence.parameters import FORMS
from backstory.engine.host.tools import tools
from backstory.records.tools import Tool


def context_commands() -> str:
    """Every `/context` command."""
    rows = [(f"`{one.name}`", f"`{one.takes}`" if one.takes else "", one.summary) for one in COMMANDS]
    rows += [(f"`{name}`", "", "comes with a later version") for name in LATER]
    return table(("command", "takes", "says or does"), rows)


def model_tools() -> str:
    """Every tool with its arguments."""
    return "\n\n".join(map(_tool, tools()))


def _tool(tool: Tool) -> str:
    rows = [
        _argument(name, shape, tool.parameters["required"]) for name, shape in tool.parameters["properties"].items()
    ]
    arguments = table(("argument", "type", "meaning"), rows) if rows else "It takes no arguments."
    return "\n".join([f"### {tool.name}", "", tool.description, "", arguments])


def _argument(name: str, shape: Mapping[str, Any], required: Sequence[str]) -> tuple[str, str, str]:
    needed = "" if name in required else "optional; "
    return f"`{name}`", _type(shape), needed + shape["description"]


def _type(shape: Mapping[str, Any]) -> str:
    if "enum" in shape:
        return ", ".join(f"`{one}`" for one in shape["enum"])
    if shape["type"] == "array":
        return f"list of {_type(shape['items'])}"
    least = shape.get("minimum", shape.get("minLength"))
    most = shape.get("maximum", shape.get("maxLength"))
    unit = " characters" if shape["type"] == "string" else ""
    if least is not None and most is not None:
        return f"{shape['type']}, {least:,} to {most:,}{unit}"
    return f"{shape['type']}, up to {most:,}{unit}" if most is not None else str(shape["type"])


def persistence_actions() -> str:
    """What goes with each action of `context_persistence`."""
    rows = [
        (f"`{name}`", f"`{form.persistence}`", _names(form.needed), _names(form.allowed))
        for name, form in FORMS.items()
    ]
    return table(("action", "class", "needs", "may have"), rows)


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{_camel(name)}`" for name in names)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
