"""JavaScript, TypeScript and their JSX forms."""

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

_CONTROL = frozenset(
    "if for while switch catch with return function typeof await new else do in of super".split()  # noqa: SIM905
)
_LEAD = r"(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?"
_MODIFIERS = r"(?:(?:public|private|protected|static|readonly|async|override|abstract|accessor|get|set)[ \t]+){0,6}"
_ARROW = r"(?:async[ \t]*)?(?:function\b|\([^()\n]{0,300}\)[^=\n]{0,120}=>|[\w$]{1,80}[ \t]*=>|\([^()\n]{0,300}\n)"
_REGEX = re.compile(r"/(?!/)[^/\\\[\n]*+(?:(?:\\[^\n]|\[[^\]\\\n]*+(?:\\[^\n][^\]\\\n]*+)*\])[^/\\\[\n]*+)*/")
LONGEST_REGEX = 400
# Behind these a value begins; behind another word, a bracket or a quote one ends, and a slash divides it.
_BEFORE_VALUE = re.compile(
    r"(?:[(,=:\[!&|?{;+*%^~-]|=>|\b(?:return|typeof|case|in|of|delete|void|do|else|throw|await|yield|new))\Z"
)
_TEMPLATE = re.compile(r"`|\$\{|\\")
_HOLE = re.compile(
    "|".join((LINE_COMMENT, BLOCK_COMMENT.replace("open_block", "open_inner"), DOUBLE, SINGLE, r"(?P<mark>[`{}/])")),
)


def _slash_end(text: str, start: int) -> int:
    """The end of the regular expression that a slash begins; the place behind one that divides, or closes a tag.

    A line that begins with a slash begins with such an expression: it is an argument of the call above.
    """
    first = max(0, start - LONGEST_REGEX)
    before = text[max(first, text.rfind("\n", first, start)) : start].rstrip()
    if (not before and not text.startswith("/>", start)) or _BEFORE_VALUE.search(before, max(0, len(before) - 10)):
        match = _REGEX.match(text, start, start + LONGEST_REGEX)
        return match.end() if match else start + 1
    return start + 1


def _opaque_end(text: str, match: re.Match[str]) -> int | None:
    return _slash_end(text, match.start()) if match[0] == "/" else template_end(text, match)


def template_end(text: str, match: re.Match[str]) -> int | None:
    """The end of a template literal, through any nesting of `${…}` and further templates; None when it never ends."""
    position = match.end()
    holes: list[int] = []
    inside = True
    while True:
        found = (_TEMPLATE if inside else _HOLE).search(text, position)
        if found is None or found.lastgroup == "open_inner":
            return None
        position = found.end()
        sign = found[0]
        if inside and sign == "\\":
            position += 1
        elif inside and sign == "${":
            holes.append(0)
            inside = False
        elif inside:
            if not holes:
                return position
            inside = False
        elif sign == "/":
            position = _slash_end(text, found.start())
        elif found.lastgroup == "mark":
            inside = _step(sign, holes)


def _step(sign: str, holes: list[int]) -> bool:
    """Counts a brace of a hole; whether the scan is inside a template afterwards."""
    if sign == "`":
        return True
    holes[-1] += 1 if sign == "{" else -1
    if holes[-1] < 0:
        holes.pop()
        return True
    return False


def _accept(text: str, match: re.Match[str]) -> bool:
    """Control words are no methods; a method whose parameters go on below needs a closing line that opens a body."""
    group = match.lastgroup or ""
    if group.startswith("method") and match[group] in _CONTROL:
        return False
    if group != "method_":
        return True
    closing = "\n" + match["indent"] + ")"
    end = text.find(closing, match.end(), match.end() + 2000)
    if end < 0:
        return False
    stop = text.find("\n", end + 1)
    return text[end : stop if stop >= 0 else len(text)].rstrip().endswith("{")


GRAMMAR = Grammar(
    language="typescript",
    suffixes=(".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
    opaque=opaque(LINE_COMMENT, BLOCK_COMMENT, r"(?P<special>[`/])", DOUBLE, SINGLE),
    declarations=declarations(
        r"export[ \t]+(?P<class_>default)(?=[ \t]+(?:abstract[ \t]+)?class[ \t]*(?:\{|extends\b|implements\b))",
        r"(?=[a-z])"
        + _LEAD
        + r"(?:(?:abstract[ \t]+)?class[ \t]+(?!(?:extends|implements)\b)(?P<class>[\w$]+)"
        + r"|interface[ \t]+(?P<interface>[\w$]+)"
        + r"|(?:const[ \t]+)?enum[ \t]+(?P<enum>[\w$]+)"
        + r"|(?:namespace|module)[ \t]+(?P<namespace>[\w$.]+)(?=[ \t]*\{)"
        + r"|type[ \t]+(?P<type>[\w$]+)(?=[ \t]*[=<])"
        + r"|(?:async[ \t]+)?function[ \t]*\*?[ \t]*(?P<function>[\w$]+)(?=[ \t]*[(<])"
        + r"|(?:const|let|var)[ \t]+(?:(?P<function_>[\w$]+)(?=[ \t]*(?::[^=\n]{0,200})?=[ \t]*"
        + _ARROW
        + r")|(?P<variable>[\w$]+)(?=[ \t]*[:=])))",
        r"(?=[\w$#*])"
        + _MODIFIERS
        + r"\*?[ \t]*"
        + r"(?:(?P<method>#?[\w$]++)(?=\??(?:<[^\n(]{0,100}>)?"
        + r"\((?:[^()\n]|\([^()\n]*+\)){0,300}\)[ \t]*(?::[^;\n]{1,200})?\{)"
        + r"|(?P<method_>#?[\w$]++)(?=(?:<[^\n(]{0,100}>)?\([ \t]*\n)"
        + r"|(?P<method__>#?[\w$]++)(?=[?!]?[ \t]*(?::[^=\n]{0,200})?=[ \t]*"
        + _ARROW
        + r"))",
        r"(?:(?:module\.)?exports\.|(?P<receiver>[A-Z][\w$]*+)\.(?:prototype\.)?)(?P<function__>[\w$]+)(?=[ \t]*=[ \t]*"
        + _ARROW
        + r")",
    ),
    marks=marks("/*", "`", "\\\n"),
    special=_opaque_end,
    accept=_accept,
    imports=r"""(?m)^[ \t]*(?:import|export)\b[^"'\n]{0,300}["']([^"'\n]+)["']|\brequire\(["']([^"'\n]+)["']\)""",
)
