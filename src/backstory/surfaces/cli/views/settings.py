"""Settings, the files they come from, and what is wrong with these."""

from backstory.records.settings import ConfigCheck, ConfigFile, ConfigPaths, ConfigShown
from backstory.surfaces.cli.terminal import Terminal
from backstory.text.wording import counted


def shown(answer: ConfigShown, terminal: Terminal) -> str:
    """One line a setting, in the form a settings file has; what is not a default says where it comes from."""
    width = max((len(row.key) for row in answer.settings), default=0)
    lines = []
    for row in answer.settings:
        line = f"{row.key:<{width}} = {_value(row.value)}"
        lines.append(terminal.style(line, "dim") if row.origin == "default" else f"{line}  # {row.origin}")
    lines += [terminal.style(warning, "yellow") for warning in answer.warnings]
    return "\n".join(lines or ["Every setting has its default."]) + "\n"


def paths(answer: ConfigPaths, terminal: Terminal) -> str:
    """One line a file."""
    return "".join(f"{_file(file, terminal)}\n" for file in answer.files)


def checked(answer: ConfigCheck, _terminal: Terminal) -> str:
    """A verdict; the problems themselves follow as complaints."""
    found = counted(answer.found, "settings file")
    return f"{found}, {counted(len(answer.problems), 'problem')}\n" if answer.problems else f"{found}, nothing wrong\n"


def _file(file: ConfigFile, terminal: Terminal) -> str:
    state = "" if file.found else (" (not read)" if file.origin.startswith("untrusted") else " (none)")
    return f"{file.origin:<18} {file.path}{terminal.style(state, 'dim')}"


def _value(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
