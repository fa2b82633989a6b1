"""What a language module says about its language, and the vocabulary its patterns are built from.

A grammar is two regular expressions. `opaque` matches whole comments and strings from where they open; a construct that
never closes runs to the end of the text through a group whose name starts with `open`, so it is tried once and the scan
stays linear. `declarations` matches from a line break to a declared name and holds no character that could open a
comment or string, so a match that begins in code lies in code. The last named group that took part names the kind.
Neighbours: `opaque` finds the spans, `outline` turns matches into symbols.
"""

import re
from collections.abc import Callable

import msgspec

LINE_COMMENT = r"//[^\n]*+"
HASH_COMMENT = r"#[^\n]*+"
DOUBLE = r'"(?:[^"\\\n]|\\[\s\S])*+"?+'
SINGLE = r"'(?:[^'\\\n]|\\[\s\S])*+'?+"


def until(opening: str, closing: str, group: str, *, escapes: bool = True) -> str:
    """A construct that may span lines: from `opening` to the literal `closing`, or to the end as group `open…`."""
    first, rest = re.escape(closing[0]), re.escape(closing[1:])
    barred = first + (r"\\" if escapes else "")
    inner = rf"{first}(?!{rest})" if rest else "(?!)"
    step = rf"(?:\\[\s\S]|{inner})" if escapes else rf"(?:{inner})"
    return rf"{opening}[^{barred}]*+(?:{step}[^{barred}]*+)*+(?:{first}{rest}|(?P<open_{group}>\\?\Z))"


BLOCK_COMMENT = until(r"/\*", "*/", "block", escapes=False)


class Grammar(msgspec.Struct, frozen=True):
    """One language.

    `marks` finds a substring that every construct with a line break in it shows: its opening, or an escaped line break.
    `special` takes over at a match of group `special`: it gives the end of the construct, or None when it never
    closes. `skip` matches stripped lines at an outer indentation that do not end a declaration, `containers` are the
    kinds that may hold methods; `accept` may refuse a match. A group `receiver` names the parent. `level` gives the depth
    of a heading where sections, not indentation, nest. `imports` finds imported names.
    """

    language: str
    suffixes: tuple[str, ...]
    opaque: re.Pattern[str]
    declarations: re.Pattern[str]
    marks: re.Pattern[str]
    special: Callable[[str, re.Match[str]], int | None] | None = None
    skip: re.Pattern[str] | None = None
    containers: frozenset[str] = frozenset(
        {"class", "interface", "struct", "trait", "enum", "module", "impl", "record"}
    )
    accept: Callable[[str, re.Match[str]], bool] | None = None
    imports: re.Pattern[str] | None = None
    signature_end: re.Pattern[str] | None = None
    level: Callable[[re.Match[str]], int] | None = None


def opaque(*alternatives: str) -> re.Pattern[str]:
    """The pattern of everything that is not code, first alternative first."""
    return re.compile("|".join(alternatives))


def marks(*substrings: str) -> re.Pattern[str]:
    """The pattern of the substrings, one of which every construct that spans lines shows."""
    return re.compile("|".join(map(re.escape, substrings)))


def declarations(*alternatives: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern of declarations; each alternative follows the indentation of a line."""
    return re.compile(r"\n(?P<indent>[ \t]*+)(?:" + "|".join(alternatives) + ")", flags)


def kind_of(match: re.Match[str]) -> str:
    """The kind a match declares: its last group's name without the underscores that keep names apart."""
    return (match.lastgroup or "").rstrip("_")
