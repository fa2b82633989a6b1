"""Which files change along with the best ones of an answer, by past commits, and how much that counts for them.

What changes along completes an answer and is no match itself. Neighbours: `scores` scored the files before.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from backstory.retrieve.project.scores import Signals, answers, best_first, prior
from backstory.store.project.search import ProjectSearch

# So many of the best files are looked up, in so many of the newest commits, each of so many paths at most.
LEADS, COMMITS, PATHS = 3, 300, 20
# What they change along gains at most so much; a commit counts 0.99 of the one after it.
ALONG_SHARE, DECAY = 0.2, 0.99
# So many places at the top are those of matches alone.
SETTLED = 5


def with_companions(
    search: ProjectSearch, scored: Sequence[tuple[Signals, float]], *, tests: bool, documents: bool
) -> list[tuple[Signals, float]]:
    """The files again, those after the first five raised where past commits changed them along with the best."""
    leads = {item.id: score for item, score in scored[:LEADS] if score > 0 and answers(item)}
    habits = along(leads, search.together(leads, COMMITS, PATHS)) if leads else {}
    if not habits:
        return list(scored)
    for item, _ in scored[SETTLED:]:
        likely = prior(item.path, tests=tests, documents=documents)
        item.along = min(ALONG_SHARE, habits.get(item.id, 0.0)) * likely
    return [*scored[:SETTLED], *best_first((item, score + item.along) for item, score in scored[SETTLED:])]


def along(leads: Mapping[int, float], touched: Iterable[tuple[int, int, int, int]]) -> dict[int, float]:
    """How likely each file changes along with the leading ones, given with their scores; 0 to 1.

    Rows of `touched` are (leading file, age of a commit, paths it touched, a file it touched), the leading file among
    them. A commit of many paths says less of each, and a file that changed once has no habits yet.
    """
    changes = dict.fromkeys(leads, 1.0)
    shared: dict[tuple[int, int], float] = {}
    for lead, age, paths, file in touched:
        weight = DECAY**age
        if lead == file:
            changes[lead] += weight
        else:
            shared[lead, file] = shared.get((lead, file), 0.0) + weight / math.sqrt(max(1, paths - 1))
    total = sum(leads.values())
    found: dict[int, float] = {}
    for (lead, file), weight in shared.items():
        found[file] = found.get(file, 0.0) + leads[lead] * weight / changes[lead] / total
    return found
