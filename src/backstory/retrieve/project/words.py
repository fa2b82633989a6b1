"""Turns a request into weighted words for the project index: stems, parts of names, whole names, quoted phrases.

Words of asking for work ("check", "show", "resume") name things in code as well, so they count, but for less. It also
tells which words stand side by side in a request: where they do so in code too, they say more.
A word may be written in several ways (`foo_bar` is the phrase "foo bar", `fooBar` the token "foobar"); whichever
stands in a file counts for it. Pure but for the stemmer it is handed. Neighbours: `task` before, `scores` after.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import msgspec

from backstory.retrieve.task import Task, without_places
from backstory.text.accents import folded, stopword
from backstory.text.identifiers import LEXEME, compound, joined, parts
from backstory.text.stopwords import ASKING, CHORES, NOISE

MOST_WORDS = 48
MOST_TOKENS = 4000
MOST_CHARS = 40_000
# A whole identifier says more than its parts, and is counted beside them.
WHOLE_WEIGHT, PART_WEIGHT, ASKING_WEIGHT, NOISE_WEIGHT = 1.5, 0.7, 0.6, 0.3
MOST_PAIRED = 200
LEAST_SAID = 2 * NOISE_WEIGHT
_PLURAL = re.compile(r"[A-Z]{2,}s")
LONGEST_PHRASE = 12
LONGEST_WORD = 80
TEST_WORDS = frozenset({"test", "tests", "testing", "spec", "specs", "fixture", "fixtures"})
DOC_WORDS = frozenset({"doc", "docs", "documentation", "readme", "changelog", "guide", "tutorial"})

Stemmer = Callable[[str], list[str]]

# Lines that name people, lists of merged branches, addresses: commit messages are full of them.
_TRAILER = re.compile(
    r"(?mi)^[ \t]*(?:[a-z]+(?:-[a-z]+)*-by[ \t]*:|change-id:|[*-]?[ \t]*merge (?:remote-tracking )?branch ).*$"
)
# What tools write into a message: "Generated with [Tool](address)", a mark before it or a link in it; where it was
# picked from; that nothing need be run for it.
_MADE = re.compile(
    r"(?mi)\(cherry picked from commit [0-9a-f]{7,64}\)|\[(?:skip ci|ci skip|no ci)\]|"
    r"^(?:[^\x00-\x7f]{1,4}[ \t]*generated (?:with|by|using) .{1,120}|"
    r"\W{0,4}generated (?:with|by|using) \[[^\]\n]{1,60}\]\([^)\n]{1,200}\)\W{0,4})$"
)
# Lines of the block that Git and others keep facts in, at the end of a message, and those that show that it is one.
_FACT = re.compile(r"[A-Z][A-Za-z0-9]{0,30}(?:-[A-Za-z0-9]{1,30}){0,4}: +\S")
_SIGNED = re.compile(r"[A-Z]\w{0,30}(?:-\w{1,30}){1,4}: +.{0,80}?(?:\bI?[0-9a-fA-F]{7,}\b|\S@\S|://|#\d)")
# Numbers of issues with what is said of them: "closes #12", "(#12)", "refs owner/name#12", or the address in place of a
# number. In code they mean nothing.
_TICKET = re.compile(
    r"(?i)\(?(?:\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|refs?|references|related to|"
    r"see(?: also)?|issues?|prs?)\b[\s:]{0,3}){0,3}"
    r"(?:(?:\b[\w.-]{1,40}/[\w.-]{1,100})?#|https?://[\w./-]{1,120}/(?:issues|pull)/)(\d{1,6})\b\)?"
)
SHORTEST_TICKET = 3
MOST_TICKETS = 8
_ADDRESS = re.compile(r"https?://[^\s)>\]\"'`]+")


class Word(msgspec.Struct):
    """One thing to look for: the phrases that spell it, its weight in the query, and in how many files it stands.

    `held` are those files where they had to be looked up to be counted.
    """

    phrases: tuple[str, ...]
    weight: float
    shown: str
    docs: int = 0
    path_docs: int = 0
    simple: bool = True
    held: frozenset[int] | None = None


def told(text: str) -> str:
    """What a request says of its matter: without addresses, people, numbers of issues, and lines of chores alone.

    Of a file with a line in it, which is named beside, only the name of the file stays.
    """
    kept = _TRAILER.sub("", _without_facts(_MADE.sub("", text.strip()[:MOST_CHARS])))
    if "#" in kept or "://" in kept:
        kept = _ADDRESS.sub(" ", _TICKET.sub(" ", kept))
    lines = without_places(kept).split("\n")
    return "\n".join(line for number, line in enumerate(lines) if number == 0 or not _chore(line))


def tickets(text: str) -> list[str]:
    """The numbers of issues that a request names, which earlier commits may name as well."""
    numbers = dict.fromkeys(_TICKET.findall(text[:MOST_CHARS]) if "#" in text or "://" in text else ())
    return [number for number in numbers if len(number) >= SHORTEST_TICKET][:MOST_TICKETS]


def _without_facts(text: str) -> str:
    """A message without the last paragraphs that hold nothing but facts such as `Change-Id: I1f3c…`."""
    lines = text.split("\n")
    end, signed = len(lines), False
    for at in range(len(lines) - 1, 0, -1):
        line = lines[at].strip()
        if line and not _FACT.match(line):
            break
        signed = signed or bool(_SIGNED.match(line))
        if not line and signed:
            end, signed = at, False
        elif not line and at + 1 < end:
            break
    return "\n".join(lines[:end])


def _chore(line: str) -> bool:
    spoken = [folded(word) for word in LEXEME.findall(line)]
    return all(word in NOISE or word in CHORES or len(word) < 2 or word.isdigit() or stopword(word) for word in spoken)


def words(text: str, task: Task, stem: Stemmer, scope: str = "") -> list[Word]:
    """The words of a request, each once, in order of first use; counts of files are filled in later.

    Every word of the `scope` that was set before the text counts in full.
    """
    counts: dict[tuple[str, ...], int] = {}
    shown: dict[tuple[str, ...], str] = {}
    weights: dict[tuple[str, ...], float] = {}

    def add(phrases: tuple[str, ...], spelling: str, weight: float) -> None:
        counts[phrases] = counts.get(phrases, 0) + 1
        shown.setdefault(phrases, spelling)
        weights[phrases] = max(weights.get(phrases, 0.0), weight)

    scoped = [lexeme for lexeme in LEXEME.findall(scope) if len(lexeme) > 1]
    for number, lexeme in enumerate([*scoped, *_lexemes(text)]):
        whole = compound(lexeme) and not _PLURAL.fullmatch(lexeme)
        found = [part for part in parts(lexeme) if len(part) > 1 and not stopword(part)] if whole else []
        for piece in found or [lexeme]:
            stems = stem(folded(piece))
            if stems:
                weight = PART_WEIGHT if whole else 1.0
                add((" ".join(stems),), piece, weight if number < len(scoped) else min(weight, _worth(piece)))
        if whole:
            add(_spellings(lexeme, stem), lexeme, WHOLE_WEIGHT)
    for phrase in task.phrases:
        stems = stem(phrase)
        if 2 <= len(stems) <= LONGEST_PHRASE:
            add((" ".join(stems),), phrase, 1.0)
    return [
        Word(
            phrases,
            (1 + math.log(count)) * weights[phrases],
            shown[phrases],
            simple=len(phrases) == 1 and " " not in phrases[0],
        )
        for phrases, count in counts.items()
    ]


def _lexemes(text: str) -> list[str]:
    """The words of a text that count, in order."""
    spoken = LEXEME.findall(text)[:MOST_TOKENS]
    return [
        word for word in spoken if 2 <= len(word) <= LONGEST_WORD and (not stopword(word) or folded(word) in ASKING)
    ]


def _worth(word: str) -> float:
    """The most that a word can count by what it is."""
    plain = folded(word)
    return NOISE_WEIGHT if plain in NOISE else ASKING_WEIGHT if plain in ASKING else 1.0


def pairs(text: str, words_: Sequence[Word], stem: Stemmer) -> list[tuple[int, int]]:
    """Places in `words_` of plain words that follow each other in a request; grammar between them is passed over."""
    places = {word.phrases[0]: place for place, word in enumerate(words_) if word.simple}
    spoken = [places.get(" ".join(stem(folded(lexeme)))) for lexeme in _lexemes(text)[:MOST_PAIRED]]
    beside = ((left, right) for left, right in pairwise(spoken) if left is not None and right is not None)
    return [pair for pair in dict.fromkeys(beside) if pair[0] != pair[1]]


def _spellings(lexeme: str, stem: Stemmer) -> tuple[str, ...]:
    whole = stem(joined(lexeme))
    broken = stem(" ".join(parts(lexeme)))
    return tuple(dict.fromkeys(" ".join(stems) for stems in (whole, broken) if stems))


def specific(task: Task, words_: list[Word]) -> bool:
    """Whether a request says enough to look for: something exact, or two words that mean something."""
    telling = [word for word in words_ if word.simple and word.weight >= PART_WEIGHT]
    return bool(task.files or task.symbols or task.errors or task.phrases) or len(telling) >= 2


def said(held: Iterable[Word]) -> bool:
    """Whether the words that files or paths hold say anything at all: one that tells, or two of commit messages."""
    worth = (word.weight for word in held if folded(word.shown) not in ASKING)
    return sum(worth) >= LEAST_SAID


def wants(text: str) -> tuple[bool, bool]:
    """Whether a request speaks of tests, and of documentation."""
    spoken = set(LEXEME.findall(text.lower()))
    return bool(spoken & TEST_WORDS), bool(spoken & DOC_WORDS)


def selecting(words_: list[Word], budget: int, most: int) -> list[Word]:
    """The rarest words whose postings together fit the budget; at least one."""
    return _within([(word.docs, word) for word in words_ if word.docs], budget, most)


def rare_in_paths(words_: list[Word], budget: int) -> list[Word]:
    """The words that stand in the fewest paths, as far as the budget of postings goes; at least one if any does."""
    return _within([(word.path_docs, word) for word in words_ if word.path_docs], budget, MOST_WORDS)


def _within(counted: list[tuple[int, Word]], budget: int, most: int) -> list[Word]:
    chosen: list[Word] = []
    spent = 0
    for docs, word in sorted(counted, key=lambda pair: (pair[0], pair[1].phrases)):
        if chosen and (spent + docs > budget or len(chosen) == most):
            break
        chosen.append(word)
        spent += docs
    return chosen
