"""Says why a file is in an answer: for people with words of the request, for records that hold no text without.

Neighbours: `project` ranked the file, `named` told what of it is named.
"""

from collections.abc import Sequence

from backstory.retrieve.project.companions import ALONG_SHARE
from backstory.retrieve.project.named import DECLARED
from backstory.retrieve.project.scores import Signals
from backstory.retrieve.project.words import Word
from backstory.text.wording import counted

SHOWN_WORDS = 4
ALONG = "changes along with other results"
TOUCHED = "similar commits touched it"
PATH = "its path fits the request"


def reason(item: Signals, words_: Sequence[Word]) -> str:
    """The reason as people read it, with the words of the request that match best."""
    best = sorted(zip(item.gains, words_, strict=False), key=lambda pair: -pair[0])[:SHOWN_WORDS]
    shown = [word.shown for gain, word in best if gain > 0]
    return _told(item, [*item.reasons, *([f"matches {', '.join(shown)}"] if shown else [])])


def wordless(item: Signals, words_: Sequence[Word]) -> str:
    """The reason for records that hold no text: what is named and matched is counted."""
    reasons = dict.fromkeys(item.reasons)
    declares = sum(said.startswith(DECLARED) for said in reasons)
    simple = [word.simple for gain, word in zip(item.gains, words_, strict=False) if gain > 0]
    held = [
        counted(count, noun) for noun, count in (("name", simple.count(False)), ("word", simple.count(True))) if count
    ]
    named = [f"{said} in the request" for said in reasons if not said.startswith(DECLARED)]
    named += [f"declares {counted(declares, 'name')} of the request"] if declares else []
    return _told(item, [*named, *([f"holds {' and '.join(held)} of the request"] if held else [])])


def _told(item: Signals, asked: Sequence[str]) -> str:
    """What was asked for, in the words of the one or the other, and what speaks for the file beside it."""
    reasons = [*asked]
    reasons += [TOUCHED] if item.history > 0 else []
    reasons += [ALONG] if _along(item) else []
    return "; ".join(dict.fromkeys(reasons or [PATH]))


def _along(item: Signals) -> bool:
    """Whether what it changes along with says enough to be named."""
    return item.along >= ALONG_SHARE / 2
