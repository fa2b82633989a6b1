"""The rules by which each agent derives a conversation from its log, as data.

`Facts.rules` names a dialect. A name that is not known falls back to the newest rules of its family (the part before
the first dash), then to rules that suit any tree. Read by `branch` and `active`.
"""

from backstory.records.base import Record
from backstory.records.session import Kind


class Dialect(Record, frozen=True):
    """How one agent reads its own log.

    `any_leaf`: the last entry is the leaf, whatever it is; otherwise the last one a model sees. `orphan_roots`: an
    entry whose parent is nowhere starts a new tree; otherwise it follows the entry before it. `parallel`: an exchange
    of parallel tool calls may fork the tree and still belongs to the branch it hangs on. `edits`: edit entries apply.
    `left_behind`: kinds that a compaction does not keep from its kept range. `compactions_repeat`: an older compaction
    inside that range is shown again.
    """

    any_leaf: bool = False
    orphan_roots: bool = False
    parallel: bool = False
    edits: bool = True
    left_behind: frozenset[str] = frozenset()
    compactions_repeat: bool = False


_DEFAULT = Dialect()
_PI_NEWEST = Dialect(any_leaf=True, orphan_roots=True, left_behind=frozenset({Kind.SYSTEM}))

_DIALECTS = {
    "pi": _PI_NEWEST,
    "pi-1.6": _PI_NEWEST,
    "pi-0.84": Dialect(any_leaf=True, orphan_roots=True, edits=False, compactions_repeat=True),
    "claude": Dialect(parallel=True),
}


def dialect(rules: str) -> Dialect:
    """The dialect that `rules` names."""
    return _DIALECTS.get(rules) or _DIALECTS.get(rules.partition("-")[0]) or _DEFAULT
