"""Java and Kotlin: types, methods, functions and top-level properties."""

from backstory.project.symbols.grammar import (
    BLOCK_COMMENT,
    LINE_COMMENT,
    LINE_DOUBLE,
    LINE_SINGLE,
    Grammar,
    declarations,
    marks,
    nested_comment_end,
    opaque,
    until,
)

_NOT_A_TYPE = r"(?!(?:return|new|else|throw|case|await|yield|package|import|if|for|while|switch|catch|do|assert)\b)"
_ANNOTATION = r"(?:@[\w.]+(?:\([^)\n]{0,120}\))?[ \t]+){0,4}"
_JAVA = (
    _ANNOTATION + r"(?:(?:public|private|protected|static|final|abstract|synchronized|native|default|strictfp"
    r"|sealed|non-sealed|transient|volatile)[ \t]+){0,8}"
)
_KOTLIN = (
    _ANNOTATION + r"(?:(?:public|private|protected|internal|open|abstract|final|sealed|data|inner|inline"
    r"|value|enum|annotation|override|suspend|operator|infix|tailrec|external|const|lateinit"
    r"|expect|actual|companion|fun(?=[ \t]+interface))[ \t]+){0,8}"
)

JAVA = Grammar(
    language="java",
    suffixes=(".java",),
    opaque=opaque(LINE_COMMENT, BLOCK_COMMENT, until('"""', '"""', "block_text"), LINE_DOUBLE, LINE_SINGLE),
    declarations=declarations(
        r"(?=[\w@<])"
        + _JAVA
        + r"(?:class[ \t]+(?P<class>\w+)"
        + r"|@?interface[ \t]+(?P<interface>\w+)"
        + r"|enum[ \t]+(?P<enum>\w+)"
        + r"|record[ \t]+(?P<record>\w+)(?=[ \t]*[(<])|"
        + _NOT_A_TYPE
        + r"(?:<[^\n(]{0,120}>[ \t]+)?[\w.]++(?:<[^\n(]{0,120}>)?(?:\[\]){0,3}[ \t]+(?P<method>\w++)(?=[ \t]*\())",
        r"(?:(?:public|private|protected)[ \t]+)?(?P<method_>[A-Z]\w*+)(?=[ \t]*\([^;\n]*\{)",
    ),
    marks=marks("/*", '"""'),
    imports=r"(?m)^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.*]+)",
)

KOTLIN = Grammar(
    language="kotlin",
    suffixes=(".kt", ".kts"),
    opaque=opaque(
        LINE_COMMENT, r"(?P<special>/\*)", until('"""', '"""', "raw", escapes=False), LINE_DOUBLE, LINE_SINGLE
    ),
    declarations=declarations(
        r"(?=[a-z@])"
        + _KOTLIN
        + r"(?:class[ \t]+(?P<class>\w+)"
        + r"|interface[ \t]+(?P<interface>\w+)"
        + r"|object[ \t]+(?P<class_>\w+)"
        + r"|fun[ \t]+(?:<[^>\n]{0,120}>[ \t]+)?(?:(?P<receiver>\w+)(?:<[^>\n]{0,80}>)?\??\.)?"
        + r"(?P<function>\w+)(?=[ \t]*\()"
        + r"|typealias[ \t]+(?P<type>\w+)"
        + r"|(?:val|var)[ \t]+(?P<variable>\w+))",
    ),
    marks=marks("/*", '"""'),
    special=nested_comment_end,
    imports=r"(?m)^[ \t]*import[ \t]+([\w.*]+)",
)
