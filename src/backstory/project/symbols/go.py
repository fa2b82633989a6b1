"""Go: functions, methods with their receiver, types, package variables and constants."""

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
        r"(?:var|const)[ \t]+(?P<variable>\w+)",
    ),
    marks=marks("/*", "`"),
    imports=r'(?m)^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w./\-]+)"[ \t]*$',
)
