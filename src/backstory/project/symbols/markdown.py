"""Markdown: headings outside fenced code and comments, nested by level."""

import re

from backstory.project.symbols.grammar import Grammar, marks, opaque, until

# Behind the fence that closes a block nothing stands.
_CLOSING = r" {0,3}(?P=fence)[`~]*+[ \t\r]*+(?:\Z|(?=\n))"


def _level(match: re.Match[str]) -> int:
    return len(match["marks"])


GRAMMAR = Grammar(
    language="markdown",
    suffixes=(".md", ".markdown", ".mdx"),
    opaque=opaque(
        r"(?<=\A\n)---[ \t\r]*\n(?:(?!---|\.\.\.)[^\n]*+\n)*(?:---|\.\.\.)",
        r"(?<=\n) {0,3}(?P<fence>`{3,}+"
        rf"|~{{3,}}+)[^\n]*+(?:\n(?!{_CLOSING})[^\n]*+)*(?:\n{_CLOSING})?(?P<special>)",
        until("<!--", "-->", "comment", escapes=False),
    ),
    declarations=r"\n(?P<indent> {0,3})(?P<marks>#{1,6})[ \t]+(?P<heading>[^\n]{0,200}[^\s#])",
    marks=marks("```", "~~~", "<!--", "---"),
    special=lambda _, match: match.end(),
    level=_level,
    signature_end=r"\n",
)
