"""Go: functions, methods with their receiver, types and their aliases, package variables and constants."""

import re
from functools import lru_cache

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
_GROUP = re.compile(r"\ntype[ \t]*\([ \t]*(?=\n)")


@lru_cache(maxsize=1)
def _members(text: str) -> frozenset[int]:
    """Where the lines of groups of types begin that stand in no type of the group themselves: at their line breaks."""
    found = set()
    for group in _GROUP.finditer(text):
        end = text.find("\n)", group.end())
        at, depth = group.end(), 0
        for line in text[at : end if end >= 0 else len(text)].split("\n")[1:]:
            if not depth:
                found.add(at)
            code = line.partition("//")[0]
            depth += code.count("{") + code.count("(") - code.count("}") - code.count(")")
            at += 1 + len(line)
    return frozenset(found)


def _accept(text: str, match: re.Match[str]) -> bool:
    """A type without the word `type` looks like any field, statement or assignment, and is one outside of a group."""
    return match.lastgroup != "type_" or match.start() in _members(text)


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
        r"(?P<type_>[A-Za-z_]\w*+)(?=" + _GENERIC + r"[ \t]+(?:=[ \t]+)?[A-Za-z_*\[])",
    ),
    marks=marks("/*", "`"),
    accept=_accept,
    imports=r'(?m)^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w./\-]+)"[ \t]*$',
)
