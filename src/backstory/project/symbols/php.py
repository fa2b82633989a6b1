"""PHP: types and functions; what stands outside `<?php … ?>` is data, strings span lines."""

import re

from backstory.project.symbols.grammar import BLOCK_COMMENT, Grammar, declarations, marks, opaque, until
from backstory.project.symbols.heredoc import heredoc_end

_MODIFIERS = r"(?:(?:public|private|protected|static|final|abstract|readonly)[ \t]+){0,6}"


def _special(text: str, match: re.Match[str]) -> int | None:
    """The end of a here-document, or of markup between two pieces of code."""
    if match["word"]:
        return heredoc_end(text, match.end(), match["word"], indented=True, alone=False)
    opening = text.find("<?php", match.end())
    short = text.find("<?=", match.end())
    found = [place for place in (opening, short) if place >= 0]
    return min(found) if found else len(text)


GRAMMAR = Grammar(
    language="php",
    suffixes=(".php", ".phtml"),
    opaque=opaque(
        r"(?://|#(?!\[))[^?\n]*+(?:\?(?!>)[^?\n]*+)*",
        BLOCK_COMMENT,
        r"(?i:\b__halt_compiler)[ \t]*\([\s\S]*+",
        r"`[^`\n]*+`",
        r"(?P<special>\A(?!\s{0,9}<\?)|\?>|<<<[ \t]*(?P<mark>['\"]?)(?P<word>[A-Za-z_]\w*)(?P=mark))",
        until('"', '"', "double"),
        until("'", "'", "single"),
    ),
    declarations=declarations(
        _MODIFIERS + r"class[ \t]+(?P<class>\w+)",
        r"interface[ \t]+(?P<interface>\w+)",
        r"trait[ \t]+(?P<trait>\w+)",
        r"enum[ \t]+(?P<enum>\w+)(?=[ \t]*[:{\n])",
        _MODIFIERS + r"function[ \t]+&?(?P<function>\w+)(?=[ \t]*\()",
        r"namespace[ \t]+(?P<namespace>[\w\\]+)(?=[ \t]*[;{])",
        r"(?:const|define\(['\"])[ \t]*(?P<variable>\w+)",
    ),
    marks=marks("\n"),
    special=_special,
    imports=r"(?m)^use[ \t]+([\w\\]+)",
)
