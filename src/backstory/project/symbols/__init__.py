"""Declarations of source files, by language; text without a known structure has none.

`symbols` is the always-on tier: line-anchored patterns that know what a string and a comment is, without a native
dependency. `trees` is the optional one behind the extra `code`. Neighbours: `project.chunk` cuts at what is found here.
"""

from pathlib import PurePosixPath

from backstory.project.symbols import (
    clike,
    csharp,
    go,
    jvm,
    markdown,
    php,
    python,
    ruby,
    rust,
    script,
    shell,
    sql,
    swift,
)
from backstory.project.symbols.grammar import Grammar
from backstory.project.symbols.outline import outline
from backstory.records.project import Symbol

GRAMMARS: tuple[Grammar, ...] = (
    python.GRAMMAR,
    script.GRAMMAR,
    go.GRAMMAR,
    rust.GRAMMAR,
    jvm.JAVA,
    jvm.KOTLIN,
    clike.GRAMMAR,
    csharp.GRAMMAR,
    ruby.GRAMMAR,
    php.GRAMMAR,
    swift.GRAMMAR,
    sql.GRAMMAR,
    shell.GRAMMAR,
    markdown.GRAMMAR,
)
BY_SUFFIX = {suffix: grammar for grammar in GRAMMARS for suffix in grammar.suffixes}


def grammar_of(path: str) -> Grammar | None:
    """The grammar for a file name, by its suffix; None for text without a known structure."""
    return BY_SUFFIX.get(PurePosixPath(path).suffix.lower())


def symbols(text: str, grammar: Grammar) -> list[Symbol] | None:
    """The declarations of `text`; None when it cannot be parsed with certainty."""
    return outline(text, grammar)
