"""What to tell a person whose search of a project found nothing: names like those typed, what is left out, what to run.

Neighbours: `engine.project.search` asks for it only then. Plans do not: that no source fits a call is no warning.
"""

from backstory.retrieve.project.near import near
from backstory.store.project import contents
from backstory.store.project.database import ProjectStore
from backstory.store.project.search import ProjectSearch
from backstory.text.query import parse
from backstory.text.wording import counted

MOST_WORDS, MOST_NAMES = 4, 6


def nothing(store: ProjectStore, text: str, *, fresh: bool) -> list[str]:
    """What to say of words that no file matches; `fresh` says that the project was looked at for this search."""
    finder = ProjectSearch(store)
    found = [f"looked through {counted(finder.totals().files, 'file')}", *alike(store, text)]
    if left_out := contents.exclusions(store):
        counts = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        found.append(f"files that are not searched: {counts}, and those that Git ignores")
    if not fresh:
        found.append("without --no-sync what changed since it was indexed is looked at first")
    return [*found, "to look for it in sessions, run: backstory search WORDS"]


def alike(store: ProjectStore, text: str) -> list[str]:
    """Names of the project that words of a request may stand for, as one line if there are any."""
    names = dict.fromkeys(name for word in parse(text).telling[:MOST_WORDS] for name in near(store, word))
    return [f"there is something like it: {', '.join([*names][:MOST_NAMES])}"] if names else []
