"""Swift: types, extensions, functions and top-level properties; block comments nest."""

import re

from backstory.project.symbols.grammar import (
    DOUBLE,
    LINE_COMMENT,
    Grammar,
    declarations,
    marks,
    nested_comment_end,
    opaque,
    until,
)

_MODIFIERS = (
    r"(?:@\w+(?:\([^)\n]{0,80}\))?[ \t]+){0,4}"
    r"(?:(?:public|private|fileprivate|internal|open|static|final|class(?=[ \t]+(?:func|var))"
    r"|override|mutating|nonmutating|"
    r"convenience|required|indirect|lazy|weak|nonisolated|package|prefix|postfix)[ \t]+){0,6}"
)


def _special(text: str, match: re.Match[str]) -> int | None:
    """The end of a nesting comment or of a string behind number signs."""
    if match[0] == "/*":
        return nested_comment_end(text, match)
    quotes = match[0].lstrip("#")
    closing = quotes + "#" * (len(match[0]) - len(quotes))
    end = text.find(closing, match.end())
    return None if end < 0 else end + len(closing)


GRAMMAR = Grammar(
    language="swift",
    suffixes=(".swift",),
    opaque=opaque(LINE_COMMENT, r'(?P<special>/\*|#++"(?:"")?)', until('"""', '"""', "text"), DOUBLE),
    declarations=declarations(
        r"(?=[a-z@])"
        + _MODIFIERS
        + r"(?:(?:class|actor)[ \t]+(?P<class>\w+)"
        + r"|struct[ \t]+(?P<struct>\w+)"
        + r"|enum[ \t]+(?P<enum>\w+)"
        + r"|protocol[ \t]+(?P<interface>\w+)"
        + r"|extension[ \t]+(?P<impl>[\w.]+)"
        + r"|func[ \t]+(?P<function>\w+)"
        + r"|(?P<method>init)(?=[?!]?[ \t]*[(<])"
        + r"|typealias[ \t]+(?P<type>\w+)"
        + r"|(?:let|var)[ \t]+(?P<variable>\w+))",
    ),
    marks=marks("/*", '"""', '#"', "\\\n"),
    special=_special,
    imports=r"(?m)^[ \t]*import[ \t]+([\w.]+)",
)
