"""Python: classes, functions and module constants."""

from backstory.project.symbols.grammar import DOUBLE, HASH_COMMENT, SINGLE, Grammar, declarations, marks, opaque, until

GRAMMAR = Grammar(
    language="python",
    suffixes=(".py", ".pyi", ".pyw"),
    opaque=opaque(
        HASH_COMMENT,
        until('"""', '"""', "double"),
        until("'''", "'''", "single"),
        DOUBLE,
        SINGLE,
    ),
    declarations=declarations(
        r"class[ \t]+(?P<class>\w+)",
        r"(?:async[ \t]+)?def[ \t]+(?P<function>\w+)",
        r"(?P<variable>[A-Z][A-Z0-9_]{2,60})(?=[ \t]*(?::[^=\n]{1,80})?=[^=])",
    ),
    marks=marks('"""', "'''", "\\\n"),
    imports=r"(?m)^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import|import[ \t]+([\w.]+))",
    signature_end=r":[ \t]*(?:#[^\n]*)?\Z|:[ \t]*\n",
)
