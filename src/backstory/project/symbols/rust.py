"""Rust: functions, types, traits, implementations, modules and macros; block comments nest, strings span lines."""

import re

from backstory.project.symbols.grammar import (
    LINE_COMMENT,
    Grammar,
    declarations,
    marks,
    nested_comment_end,
    opaque,
    until,
)

_PUB = r"(?:pub(?:\([^)\n]{0,40}\))?[ \t]+)?"


def _raw_or_comment(text: str, match: re.Match[str]) -> int | None:
    if match[0] == "/*":
        return nested_comment_end(text, match)
    closing = '"' + "#" * match[0].count("#")
    end = text.find(closing, match.end())
    return None if end < 0 else end + len(closing)


GRAMMAR = Grammar(
    language="rust",
    suffixes=(".rs",),
    opaque=opaque(
        LINE_COMMENT,
        r'(?P<special>/\*|r#*+")',
        until('"', '"', "string"),
        r"'(?:[^'\\\n]|\\(?:u\{[^}\n]{0,8}\}|x[0-9a-fA-F]{2}|[^\n]))'",
    ),
    declarations=declarations(
        _PUB
        + r"(?:(?:default|async|const|unsafe|extern(?:[ \t]+\"[^\"\n]{0,20}\")?)[ \t]+){0,5}fn[ \t]+(?P<function>\w+)",
        _PUB + r"struct[ \t]+(?P<struct>\w+)",
        _PUB + r"enum[ \t]+(?P<enum>\w+)",
        _PUB + r"(?:unsafe[ \t]+)?(?:auto[ \t]+)?trait[ \t]+(?P<trait>\w+)",
        _PUB + r"union[ \t]+(?P<struct_>\w+)(?=[ \t]*[<{])",
        _PUB + r"mod[ \t]+(?P<module>\w+)",
        _PUB + r"type[ \t]+(?P<type>\w+)",
        _PUB + r"(?:const|static(?:[ \t]+mut)?)[ \t]+(?P<variable>\w+)(?=[ \t]*:)",
        r"macro_rules![ \t]*(?P<macro>\w+)",
        r"(?:unsafe[ \t]+)?impl(?:<[^>\n]{0,120}>)?[ \t]+(?:[^\n{]{0,200}?\bfor[ \t]+)?(?:\w+::){0,6}(?P<impl>\w+)",
    ),
    marks=marks("/*", '"'),
    special=_raw_or_comment,
    containers=frozenset({"trait", "impl"}),
    imports=r"(?m)^[ \t]*(?:pub[ \t]+)?use[ \t]+([\w:]+)",
)
