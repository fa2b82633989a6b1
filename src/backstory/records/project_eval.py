"""Figures of searching a repository for the changes of its own past."""

import msgspec

from backstory.records.base import Record


class Scores(Record, frozen=True):
    """Means over queries: `acc1` first file right, `mrr`, any and recall of truth files, and what the cards cover.

    `any5` and `any10` ask for one of a commit's files, `recall5` and `recall10` give the share of all of them.
    """

    queries: int = 0
    acc1: float = 0.0
    mrr: float = 0.0
    any5: float = 0.0
    any10: float = 0.0
    recall5: float = 0.0
    recall10: float = 0.0
    card_files: float = 0.0
    card_hunks: float = 0.0


class EvalReport(Record, frozen=True):
    """Scores over all queries and by the language of the first changed file.

    `in_place` are those of commits that add or remove no code file, whose changed files tell all of what was done.
    """

    root: str
    overall: Scores = Scores()
    in_place: Scores = Scores()
    languages: dict[str, Scores] = msgspec.field(default_factory=dict)
    warnings: tuple[str, ...] = ()
