"""Ruby: modules, classes and methods; strings span lines, `=begin` comments and here-documents are data."""

import re

from backstory.project.symbols.grammar import HASH_COMMENT, Grammar, declarations, marks, opaque, until
from backstory.project.symbols.heredoc import heredocs_end

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
# Behind a blank it is a division only before another one.
_REGEX = r"/(?:(?<=[(,=~&|!\n{;\[?:>]/)|(?<=[(,=~&|!{;] /)|(?<=\s/)(?![\s=]))(?!/)[^/\\\n]*+(?:\\[^\n][^/\\\n]*+)*/"
_HEREDOC = re.compile(
    r"<<(?P<dash>[~-]?)(?P<mark>['\"`]?)(?P<word>(?:[A-Z_]|(?<=[~\-'\"`])[a-z])\w*)(?P=mark)",
)


def _special(text: str, match: re.Match[str]) -> int | None:
    """The end of a here-document or a percent literal."""
    if match["word"]:
        return heredocs_end(text, match, _HEREDOC)
    opening = match["pair"]
    closing = _PAIRS.get(opening, opening)
    depth = 1
    for mark in re.compile(r"\\[\s\S]|[" + re.escape(opening + closing) + "]").finditer(text, match.end()):
        if mark[0] == closing:
            depth -= 1
        elif mark[0] == opening:
            depth += 1
        if depth == 0:
            return mark.end()
    return None


GRAMMAR = Grammar(
    language="ruby",
    suffixes=(".rb", ".rake", ".gemspec", ".ru"),
    opaque=opaque(
        until(r"=begin(?<=\n=begin)\b", "\n=end", "begin", escapes=False),
        HASH_COMMENT,
        r"__END__(?<=\n__END__)(?![^\r\n])[\s\S]*+",
        r"\?[\"'#](?!\w)|\$[\"'`]",
        r"`[^`\\\n]*+(?:\\[^\n][^`\\\n]*+)*`",
        rf"(?P<special>{_HEREDOC.pattern}"
        r"|%[qQwWiIrx]?(?P<pair>[(\[{<|!])(?!=))",
        until('"', '"', "double"),
        until("'", "'", "single"),
        _REGEX,
    ),
    declarations=declarations(
        r"class[ \t]+(?:\w+::){0,6}(?P<class>[A-Z]\w*)",
        r"module[ \t]+(?:\w+::){0,6}(?P<module>[A-Z]\w*)",
        r"(?:(?:private|protected|public|private_class_method"
        r"|memoize)[ \t]+)?def[ \t]+(?:self\.)?(?P<function>[a-zA-Z_]\w*[?!=]?)",
        r"(?P<variable>[A-Z][A-Z0-9_]{2,60})(?=[ \t]*=[^=~>])",
    ),
    marks=marks('"', "'", "=begin", "<<", "%", "__END__"),
    special=_special,
    signature_end=r";|\n",
    imports=r"""(?m)^[ \t]*require(?:_relative)?[ \t(]+["']([^"'\n]+)["']""",
)
