"""SQL: whatever CREATE makes; quoted text and dollar-quoted bodies span lines."""

import re

from backstory.project.symbols.grammar import BLOCK_COMMENT, Grammar, declarations, marks, opaque, until

_CREATE = (
    r"create[ \t]+(?:or[ \t]+(?:replace|alter)[ \t]+)?(?:global[ \t]+"
    r"|local[ \t]+)?(?:temp(?:orary)?[ \t]+|unlogged[ \t]+|"
    r"unique[ \t]+|virtual[ \t]+|materialized[ \t]+|recursive[ \t]+|constraint[ \t]+|clustered[ \t]+){0,3}"
)
_NAME = r"[ \t]+(?:concurrently[ \t]+)?(?:if[ \t]+not[ \t]+exists[ \t]+)?(?:[\[`]?\w+[\]`]?\.){0,3}[\[`]?(?P<%s>\w+)"


def _dollar_end(text: str, match: re.Match[str]) -> int | None:
    """The end of a dollar-quoted string; None when it never ends."""
    end = text.find(match[0], match.end())
    return None if end < 0 else end + len(match[0])


_OBJECTS = ("table", "view", "index", "function", "procedure", "trigger", "type", "sequence", "schema", "domain")

GRAMMAR = Grammar(
    language="sql",
    suffixes=(".sql", ".ddl", ".psql"),
    opaque=opaque(
        r"--[^\n]*+",
        BLOCK_COMMENT,
        r"(?P<special>\$(?:[A-Za-z_]\w*)?\$)",
        until(r"\b[Ee]'", "'", "escaped"),
        # Some databases escape a quote by a backslash; before a letter no other would let it end a text.
        r"'[^'\\]*+(?:(?:\\'(?=\w)|\\)[^'\\]*+)*(?:'|(?P<open_text>\Z))",
        until('"', '"', "name", escapes=False),
    ),
    declarations=declarations(
        _CREATE + "(?:" + "|".join(kind + _NAME % kind for kind in _OBJECTS) + ")",
        ignore_case=True,
    ),
    marks=marks("/*", "'", '"', "$"),
    special=_dollar_end,
    skip="(?i)" r"(?!create\b|;?$)",
    signature_end=r"[;(]",
)
