"""Regular expressions keep to what every supported interpreter matches alike."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "backstory"
# CPython 3.11 before 3.11.5 matches `(?:…)*+` wrongly where the group can go back; a set or a letter is safe.
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+")


def _strings(code: str) -> Iterator[tuple[int, str]]:
    """(line, text) of every string in code; what is filled in stands for a group."""
    for found in ast.walk(ast.parse(code)):
        if isinstance(found, ast.Constant) and isinstance(found.value, str):
            yield found.lineno, found.value
        elif isinstance(found, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "(x)" for part in found.values)
            yield found.lineno, "".join(parts)


def _possessive(code: str) -> list[int]:
    return sorted({line for line, text in _strings(code) if POSSESSIVE_GROUP.search(text)})


def test_no_group_is_repeated_possessively() -> None:
    found = {str(path.relative_to(SOURCE)): _possessive(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}
    assert found["project/symbols/grammar.py"] == []
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_possessive_groups_would_be_seen() -> None:
    assert _possessive(r'''P = r"(?:a|b)*+c"''') == [1]
    assert _possessive(r'''P = rf"x(?:{step}[^{barred}]*+)++"''') == [1]
    assert _possessive(r'''P = rf"{step}{{2,3}}+"''') == [1]
    assert _possessive(r'''P = r"(a){0,4096}+"''') == [1]
    assert _possessive(r'''P = r"[^\n]*+ \)*+ a{2,}+"''') == []
