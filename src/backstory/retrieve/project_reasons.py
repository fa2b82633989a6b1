"""Says why a file is in an answer: for people with words of the request, for records that hold no text without.

Neighbours: `project` ranked the file, `project_named` told what of it is named.
"""

from collections.abc import Sequence

from backstory.retrieve.companions import ALONG_SHARE
from backstory.retrieve.project_named import DECLARED
from backstory.retrieve.project_words import Word
from backstory.retrieve.rank_project import Signals
from backstory.text.wording import counted

SHOWN_WORDS = 4
ALONG = "changes along with other results"


def reason(item: Signals, words_: Sequence[Word]) -> str:
    """The reason as people read it, with the words of the request that match best."""
    reasons = list(item.reasons)
    if item.gains:
        best = sorted(zip(item.gains, words_, strict=False), key=lambda pair: -pair[0])[:SHOWN_WORDS]
        shown = [word.shown for gain, word in best if gain > 0]
        if shown:
            reasons.append("matches " + ", ".join(shown))
    if item.history > 0:
        reasons.append("similar commits touched it")
    if _along(item):
        reasons.append(ALONG)
    if not reasons:
        reasons.append("path")
    return "; ".join(dict.fromkeys(reasons))


def wordless(item: Signals, words_: Sequence[Word]) -> str:
    """The reason for records that hold no text: what is named and matched is counted."""
    reasons = dict.fromkeys(item.reasons)
    declares = sum(said.startswith(DECLARED) for said in reasons)
    simple = [word.simple for gain, word in zip(item.gains, words_, strict=False) if gain > 0]
    held = [
        counted(count, noun) for noun, count in (("name", simple.count(False)), ("word", simple.count(True))) if count
    ]
    told = [f"{said} in the request" for said in reasons if not said.startswith(DECLARED)]
    told += [f"declares {counted(declares, 'name')} of the request"] if declares else []
    told += [f"holds {' and '.join(held)} of the request"] if held else []
    told += ["similar commits changed it"] if item.history > 0 else []
    told += [ALONG] if _along(item) else []
    return "; ".join(told or ["its path fits the request"])


def _along(item: Signals) -> bool:
    """Whether what it changes along with says enough to be named."""
    return item.along >= ALONG_SHARE / 2
