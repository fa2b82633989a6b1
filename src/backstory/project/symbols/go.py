"""Go: functions, methods with their receiver, types and their aliases, package variables and constants."""

import re

from backstory.project.symbols.grammar import (
    BLOCK_COMMENT,
    LINE_COMMENT,
    LINE_DOUBLE,
    LINE_SINGLE,
    Grammar,
    declarations,
    marks,
    opaque,
    until,
)

_GENERIC = r"(?:\[[^\]\n]{0,120}\])?"
# So many characters before a line the group that it stands in is looked for.
_LONGEST_GROUP = 8_000


def _accept(text: str, match: re.Match[str]) -> bool:
    """An alias without the word `type` looks like any assignment, and is one outside of a group of types."""
    if match.lastgroup != "type_":
        return True
    at = match.start()
    group = text.rfind("\ntype (", max(at - _LONGEST_GROUP, 0), at)
    return group >= 0 and text.find("\n)", group, at) < 0


GRAMMAR = Grammar(
    language="go",
    suffixes=(".go",),
    opaque=opaque(
        LINE_COMMENT,
        BLOCK_COMMENT,
        until("`", "`", "raw", escapes=False),
        LINE_DOUBLE,
        LINE_SINGLE,
    ),
    declarations=declarations(
        r"func[ \t]+(?:\([ \t]*(?:\w+[ \t]+)?\*?(?P<receiver>\w+)" + _GENERIC + r"\)[ \t]*)?(?P<function>\w+)",
        r"(?:type[ \t]+)?(?P<struct>\w+)(?=" + _GENERIC + r"[ \t]+struct[ \t]*\{)",
        r"(?:type[ \t]+)?(?P<interface>\w+)(?=" + _GENERIC + r"[ \t]+interface[ \t]*\{)",
        r"type[ \t]+(?P<type>\w+)",
        r"(?P<type_>[A-Za-z_]\w*+)(?=" + _GENERIC + r"[ \t]+=[ \t]+[A-Za-z_*\[])",
        r"(?:var|const)[ \t]+(?P<variable>\w+)",
    ),
    marks=marks("/*", "`"),
    accept=_accept,
    imports=r'(?m)^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w./\-]+)"[ \t]*$',
)
