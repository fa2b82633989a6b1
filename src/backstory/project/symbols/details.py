"""What is worked out for a declaration when it is shown: its signature, the file's imports, the names it refers to.

Neighbours: `outline` found the declaration, `spans` masks comments and strings.
"""

import re
from collections.abc import Sequence

from backstory.project.symbols.grammar import Grammar
from backstory.project.symbols.outline import signature
from backstory.project.symbols.spans import masked
from backstory.records.project import Detail, Symbol

MOST_IMPORTS = 64
MOST_REFERENCES = 64
_NAME = re.compile(r"[A-Za-z_$][\w$]{1,100}")
_KEYWORDS = frozenset(
    """
    abstract and any as assert async await bool boolean break byte case catch char class const continue def
    default defer del delete do double elif else elsif end enum except export extends extern false final finally
    float fn for from func function global go goto guard if impl implements import in inline instanceof int
    interface internal is lambda let long loop match mod module move mut namespace new nil none not null object
    of operator or override package pass private protected protocol pub public raise range readonly record ref
    rescue return select self short signed sizeof static str string struct super switch synchronized template
    then this throw throws trait true try type typedef typeof union unless unsafe unsigned until use using val
    var virtual void volatile when where while with yield
    """.split()  # noqa: SIM905 - a list of quoted words is no easier to read
)


def details(text: str, found: Sequence[Symbol], grammar: Grammar) -> list[Detail]:
    """Every declaration with its signature, at most 64 imports of the file and 64 references of its own lines."""
    imported = imports(text, grammar)
    lines = text.split("\n")
    code = masked(text, grammar).split("\n") if found else []
    return [
        Detail(
            Symbol(s.name, s.qualified, s.kind, s.start, s.end, signature(lines, code, s, grammar), s.parent),
            imported,
            references("\n".join(code[s.start - 1 : s.end]), s.name),
        )
        for s in found
    ]


def imports(text: str, grammar: Grammar) -> tuple[str, ...]:
    """The modules a file names in its import statements, in order."""
    if grammar.imports is None:
        return ()
    named = (next(filter(None, match.groups()), None) for match in grammar.imports.finditer(text))
    return tuple(dict.fromkeys(filter(None, named)))[:MOST_IMPORTS]


def references(code: str, own: str) -> tuple[str, ...]:
    """Names used in a range whose comments and strings are blank, without keywords and its own, in order of use."""
    names = dict.fromkeys(_NAME.findall(code))
    return tuple(name for name in names if name != own and name.lower() not in _KEYWORDS)[:MOST_REFERENCES]
