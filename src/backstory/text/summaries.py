"""Says in words what a log tells of a summary beside its text."""

from collections.abc import Iterable, Sequence

from backstory.records.summary import Provenance, SummaryDetails, SummaryRef
from backstory.text.wording import counted

_MOST_FILES = 8
_CHECKED = {
    "valid": "checked and found right",
    "warning": "checked, with doubts",
    "invalid": "checked and found wrong",
}


def lines(details: SummaryDetails) -> Iterable[str]:
    """A few lines, none for a summary whose log tells nothing."""
    if details.provenance is not None:
        yield from _made(details.provenance)
    if details.problem is not None:
        yield f"where it comes from is not understood: {details.problem}"
    if details.read:
        yield f"read {_files(details.read)}"
    if details.modified:
        yield f"modified {_files(details.modified)}"


def reference(summary: SummaryRef) -> str:
    """A summary in a call, as one sentence."""
    stands = f"The summary {summary.entry} stands for {counted(summary.sources, 'entry')}"
    return f"{stands}; {_CHECKED[summary.status]} when it was made."


def overall(summaries: Sequence[SummaryDetails]) -> str:
    """How many of some summaries tell where they come from, empty when none does."""
    known = sum(one.provenance is not None for one in summaries)
    strange = sum(one.problem is not None for one in summaries)
    parts = [f"{known:,} with provenance"] if known else []
    parts += [f"{strange:,} with provenance that is not understood"] if strange else []
    return ", ".join(parts)


def _made(made: Provenance) -> Iterable[str]:
    model = f"{made.provider}/{made.model}"
    yield f"{made.kind} {made.id}, level {made.level}: {_from(made)}, by {model} ({made.reason})"
    issues = f": {', '.join(made.issues)}" if made.issues else ""
    parts = f"; {counted(len(made.parts), 'summary')} beside it" if made.parts else ""
    yield f"{_CHECKED[made.status]}{issues}{parts}"


def _from(made: Provenance) -> str:
    sources = f"made from {counted(len(made.sources), 'entry')}"
    return f"{sources} through {counted(len(made.children), 'summary')}" if made.children else sources


def _files(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MOST_FILES:,} more" if len(paths) > _MOST_FILES else ""
    return ", ".join(paths[:_MOST_FILES]) + more
