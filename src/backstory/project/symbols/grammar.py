"""What a language module says about its language, and the vocabulary its patterns are built from.

Two regular expressions find declarations. `opaque` matches whole comments and strings from where they open; a construct
that never closes runs to the end of the text through a group whose name starts with `open`, so it is tried once and the
scan stays linear. `declarations` matches from a line break to a declared name and holds no character that could open a
comment or string, so a match that begins in code lies in code. The last named group that took part names the kind.
Only single characters repeat possessively: of groups, CPython before 3.11.5 gets that wrong.
Neighbours: `spans` finds what is opaque, `outline` turns matches into symbols.
"""

import re
from collections.abc import Callable
from functools import cached_property

LINE_COMMENT = r"//[^\n]*+"
HASH_COMMENT = r"#[^\n]*+"
_NESTED = re.compile(r"/\*|\*/")
DOUBLE = r'"[^"\\\n]*+(?:\\[\s\S][^"\\\n]*+)*"?+'
SINGLE = r"'[^'\\\n]*+(?:\\[\s\S][^'\\\n]*+)*'?+"
# Where a backslash does not carry a string over the end of its line.
LINE_DOUBLE = r'"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*"?+'
LINE_SINGLE = r"'[^'\\\n]*+(?:\\[^\n][^'\\\n]*+)*'?+"


CONTAINERS = frozenset({"class", "interface", "struct", "trait", "enum", "module", "impl", "record"})


def until(opening: str, closing: str, group: str, *, escapes: bool = True) -> str:
    """A construct that may span lines: from `opening` to the literal `closing`, or to the end as group `open…`."""
    first, rest = re.escape(closing[0]), re.escape(closing[1:])
    barred = first + (r"\\" if escapes else "")
    inner = rf"{first}(?!{rest})" if rest else "(?!)"
    step = rf"(?:\\[\s\S]|{inner})" if escapes else rf"(?:{inner})"
    return rf"{opening}[^{barred}]*+(?:{step}[^{barred}]*+)*(?:{first}{rest}|(?P<open_{group}>\\?\Z))"


BLOCK_COMMENT = until(r"/\*", "*/", "block", escapes=False)


def nested_comment_end(text: str, match: re.Match[str]) -> int | None:
    """The end of a block comment that may hold others; None when it never ends."""
    depth = 1
    for mark in _NESTED.finditer(text, match.end()):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return None


class Grammar:
    """One language; its patterns are compiled when they are first used.

    `marks` finds a substring that every construct with a line break in it shows: its opening, or an escaped line break.
    `special` takes over at a match of group `special`: it gives the end of the construct, or None when it never
    closes. `skip` matches stripped lines at an outer indentation that do not end a declaration, `containers` are
    the kinds that may hold methods; `accept` may refuse a match. A group `receiver` names the parent. `level` gives
    the depth of a heading where sections, not indentation, nest. `imports` finds imported names.
    """

    def __init__(  # noqa: PLR0913 - the table of what languages differ in
        self,
        *,
        language: str,
        suffixes: tuple[str, ...],
        opaque: str,
        declarations: str,
        marks: str,
        imports: str = "",
        skip: str = "",
        signature_end: str = r"[{;]|=>",
        containers: frozenset[str] = CONTAINERS,
        special: Callable[[str, re.Match[str]], int | None] | None = None,
        accept: Callable[[str, re.Match[str]], bool] | None = None,
        level: Callable[[re.Match[str]], int] | None = None,
    ) -> None:
        self.language = language
        self.suffixes = suffixes
        self.containers = containers
        self.special = special
        self.accept = accept
        self.level = level
        self._sources = {
            "opaque": opaque,
            "declarations": declarations,
            "marks": marks,
            "imports": imports,
            "skip": skip,
            "signature_end": signature_end,
        }

    @cached_property
    def opaque(self) -> re.Pattern[str]:
        """Comments and strings."""
        return re.compile(self._sources["opaque"])

    @cached_property
    def declarations(self) -> re.Pattern[str]:
        """Declarations, from a line break to the name."""
        return re.compile(self._sources["declarations"])

    @cached_property
    def marks(self) -> re.Pattern[str]:
        """What constructs over several lines show."""
        return re.compile(self._sources["marks"])

    @cached_property
    def imports(self) -> re.Pattern[str] | None:
        """Import statements, if the language has any."""
        return re.compile(self._sources["imports"]) if self._sources["imports"] else None

    @cached_property
    def skip(self) -> re.Pattern[str] | None:
        """Lines that never end a declaration."""
        return re.compile(self._sources["skip"]) if self._sources["skip"] else None

    @cached_property
    def signature_end(self) -> re.Pattern[str]:
        """Where the head of a declaration ends."""
        return re.compile(self._sources["signature_end"])


def opaque(*alternatives: str) -> str:
    """The pattern of everything that is not code, first alternative first."""
    return "|".join(alternatives)


def marks(*substrings: str) -> str:
    """The pattern of the substrings, one of which every construct that spans lines shows."""
    return "|".join(map(re.escape, substrings))


def declarations(*alternatives: str, ignore_case: bool = False) -> str:
    """The pattern of declarations; each alternative follows the indentation of a line."""
    return ("(?i)" if ignore_case else "") + r"\n(?P<indent>[ \t]*+)(?:" + "|".join(alternatives) + ")"


def kind_of(match: re.Match[str]) -> str:
    """The kind a match declares: its last group's name without the underscores that keep names apart."""
    return (match.lastgroup or "").rstrip("_")
