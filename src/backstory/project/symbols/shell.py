"""Shell: functions; strings span lines, here-documents are data."""

import re

from backstory.project.symbols.grammar import Grammar, declarations, marks, opaque, until
from backstory.project.symbols.heredoc import heredocs_end

_HEREDOC = re.compile(r"<<(?<!<<<)(?!<)(?P<dash>-?)[ \t]*(?P<mark>['\"\\]?)(?P<word>[A-Za-z_]\w*)(?P=mark)?")


def _heredoc(text: str, match: re.Match[str]) -> int | None:
    return heredocs_end(text, match, _HEREDOC)


GRAMMAR = Grammar(
    language="shell",
    suffixes=(".sh", ".bash", ".zsh", ".ksh", ".bats"),
    opaque=opaque(
        r"\\[^\n]",
        r"#(?<![^\s;(&|]#)[^\n]*+",
        r"\(\([^'\"\n]{0,500}?\)\)",
        rf"(?P<special>{_HEREDOC.pattern})",
        until(r"\$'", "'", "escaped"),
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
