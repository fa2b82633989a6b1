"""Shell: functions; strings span lines, here-documents are data."""

import re

from backstory.project.symbols.grammar import Grammar, declarations, marks, opaque, until
from backstory.project.symbols.heredoc import heredoc_end


def _heredoc(text: str, match: re.Match[str]) -> int | None:
    return heredoc_end(text, match.end(), match["word"], indented=match["dash"] == "-")


GRAMMAR = Grammar(
    language="shell",
    suffixes=(".sh", ".bash", ".zsh", ".ksh", ".bats"),
    opaque=opaque(
        r"\\[^\n]",
        r"#(?<![^\s;(&|]#)[^\n]*+",
        r"(?P<special><<(?<!<<<)(?!<)(?P<dash>-?)[ \t]*(?P<mark>['\"\\]?)(?P<word>[A-Za-z_]\w*)(?P=mark)?(?P<rest>))",
        until('"', '"', "double"),
        until("'", "'", "single", escapes=False),
    ),
    declarations=declarations(
        r"function[ \t]+(?P<function>[\w:.\-]+)(?=[ \t]*(?:\(|\{|\n))",
        r"(?P<function_>[\w:.\-]+)(?=[ \t]*\([ \t]*\))",
    ),
    marks=marks("<<", '"', "'"),
    special=_heredoc,
    imports=r"(?m)^[ \t]*(?:source|\.)[ \t]+([^\s;]+)",
)
