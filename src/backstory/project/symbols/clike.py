"""C and C++: functions, types, macros, namespaces; a line comment may be continued by a backslash."""

import re

from backstory.project.symbols.grammar import BLOCK_COMMENT, DOUBLE, SINGLE, Grammar, declarations, marks, opaque

_CONTROL = (
    r"(?!(?:if|for|while|switch|return|else|case|do|sizeof|new|delete|throw|typedef|using|goto|catch|static_assert)\b)"
)
_TEMPLATE = r"(?:template[ \t]*<[^\n;{}]{0,160}>[ \t]*)?"
# The name that a typedef gives to what stands between braces, on one line or closed at the margin.
_ALIASED = r"(?=[ \t]*\w*\s*\{(?:[^{}\n]{0,400}|(?:[^\n]*\n(?!\}))" + r"{0,200}[^\n]*\n)\}[ \t]*"
_BODY = r"(?=[^;\n(]{0,200}(?:\{|\n))"


def raw_string_end(text: str, match: re.Match[str]) -> int | None:
    """The end of a C++ raw string; None when it never ends."""
    closing = ")" + match[0][match[0].index('"') + 1 : -1] + '"'
    end = text.find(closing, match.end())
    return None if end < 0 else end + len(closing)


def _accept(text: str, match: re.Match[str]) -> bool:
    """A function is one when its body follows, on this line or after its parameters."""
    if match.lastgroup not in {"function", "function_"}:
        return True
    if match[match.lastgroup].isupper():
        return False
    window = text[match.end() : match.end() + 1500]
    opening = window.find("{")
    return opening >= 0 and not any(mark in window[:opening] for mark in (";", "}", "#", "="))


GRAMMAR = Grammar(
    language="c",
    suffixes=(".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".inl", ".m", ".mm"),
    opaque=opaque(
        r"//[^\\\n]*+(?:\\[\s\S][^\\\n]*+)*",
        BLOCK_COMMENT,
        r'(?P<special>R"[^()\\\s"]{0,16}\()',
        DOUBLE,
        SINGLE,
    ),
    declarations=declarations(
        r"typedef[ \t]+(?:struct|union)\b" + _ALIASED + r"(?P<struct_>\w+)[ \t]*;)",
        r"typedef[ \t]+enum\b" + _ALIASED + r"(?P<enum_>\w+)[ \t]*;)",
        _TEMPLATE + r"(?:typedef[ \t]+)?class[ \t]+(?:[A-Z_]+[ \t]+)?(?P<class>\w+)" + _BODY,
        _TEMPLATE + r"(?:typedef[ \t]+)?(?:struct|union)[ \t]+(?P<struct>\w+)" + _BODY,
        r"(?:typedef[ \t]+)?enum[ \t]+(?:class[ \t]+)?(?P<enum>\w+)" + _BODY,
        r"(?:inline[ \t]+)?namespace[ \t]+(?P<namespace>[\w:]+)",
        r"typedef[ \t]+[^\n;{}()]{1,160}[ \t*](?P<type>\w+)(?=;)",
        r"using[ \t]+(?P<type_>\w+)(?=[ \t]*=)",
        r"#[ \t]*define[ \t]+(?P<macro>\w+)",
        _TEMPLATE
        + _CONTROL
        + r"(?:[\w:<>,~]++[ \t*&]++){1,8}?(?:(?P<receiver>\w+(?:::\w+){0,4})::)?(?P<function>~?\w++)(?=[ \t]*\()",
        r"(?<=\n)"
        + _CONTROL
        + r"(?:(?P<owner>\w+(?:::\w+){0,4})::)?(?P<function_>~?[a-zA-Z_]\w++)(?=[ \t]*\([^;\n]{0,300}[{\n])",
    ),
    marks=marks("/*", 'R"', "\\\n"),
    special=raw_string_end,
    skip=r"#|(?:public|private|protected|signals|[A-Za-z_]\w*)[ \t]*(?:slots[ \t]*)?:[ \t]*$",
    accept=_accept,
    imports=r'(?m)^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]',
)
