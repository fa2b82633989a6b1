"""C#: types, methods, properties and namespaces; verbatim and raw strings span lines."""

import re

from backstory.project.symbols.grammar import (
    BLOCK_COMMENT,
    DOUBLE,
    LINE_COMMENT,
    SINGLE,
    Grammar,
    declarations,
    marks,
    opaque,
)

_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|sealed|abstract|partial|readonly|async|virtual|override|"
    r"unsafe|new|"
    r"extern|required|file|ref)[ \t]+){0,8}"
)
_SOME = _MODIFIERS.replace("{0,8}", "{1,8}")
_NOT_A_TYPE = (
    r"(?!(?:return|new|else|throw|case|await|yield|using|if|for|foreach|while|switch|catch|do|lock|var|goto)\b)"
)
_TYPE = r"[\w.]{1,80}(?:<[^\n(]{0,120}>)?(?:\[[, ]{0,4}\]){0,3}\??[ \t]+"


def _string_end(text: str, match: re.Match[str]) -> int | None:
    """The end of a raw string of three or more quotes, or of a verbatim one in which a quote is doubled."""
    opening = match[0]
    if '"""' in opening:
        quotes = opening[opening.index('"') :]
        end = text.find(quotes, match.end())
        return None if end < 0 else end + len(quotes)
    position = match.end()
    while True:
        end = text.find('"', position)
        if end < 0:
            return None
        if not text.startswith('""', end):
            return end + 1
        position = end + 2


GRAMMAR = Grammar(
    language="csharp",
    suffixes=(".cs",),
    opaque=opaque(LINE_COMMENT, BLOCK_COMMENT, r'(?P<special>\$*+"""++|(?:@\$?|\$@)")', DOUBLE, SINGLE),
    declarations=declarations(
        r"namespace[ \t]+(?P<namespace>[\w.]+)",
        r"(?=[a-zA-Z_])"
        + _MODIFIERS
        + r"(?:class[ \t]+(?P<class>\w+)"
        + r"|interface[ \t]+(?P<interface>\w+)"
        + r"|enum[ \t]+(?P<enum>\w+)"
        + r"|record[ \t]+(?:class[ \t]+|struct[ \t]+)?(?P<record>\w+)"
        + r"|struct[ \t]+(?P<struct>\w+)"
        + r"|delegate[ \t]+"
        + _TYPE
        + r"(?P<type>\w+)|"
        + _NOT_A_TYPE
        + _TYPE
        + r"(?:(?P<method>\w++)(?=(?:<[^>\n]{0,80}>)?[ \t]*\()|(?P<property>\w++)(?=[ \t]*(?:\{|=>|\n[ \t]*\{))))",
        _SOME + r"(?P<method_>\w++)(?=[ \t]*\()",
    ),
    marks=marks("/*", '@"', '$"', '"""', "\\\n"),
    special=_string_end,
    skip=r"#",
    imports=r"(?m)^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?([\w.]+)[ \t]*;",
)
