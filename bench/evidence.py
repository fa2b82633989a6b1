"""How much of what answers a question the evidence of a plan holds: LoCoMo conversations, turn by turn.

Every conversation becomes one session of nothing but talk: no names, no files. Its questions
come with the turns that answer them. Counted is the share of those turns that is quoted within an evidence budget of
16,000 tokens, nothing being in the call already, beside what BM25 over the turns puts into the same budget.
"""

import datetime as dt
import json
import math
import random
import re
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from backstory.engine import context
from backstory.engine.context import Context
from backstory.engine.indexing.index import index
from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import recall
from backstory.engine.planning.recall import QuotationTask
from backstory.records.indexing import IndexRequest
from backstory.text.tokens import CHARS
from bench import places
from bench.table import Row

BUDGET = 16_000
SAMPLE = 400
QUOTING = 110
_WORD = re.compile(r"\w+")
Question = tuple[str, frozenset[str]]


def figures(sample: int = SAMPLE) -> list[Row]:
    """Recall of answering turns, ours and BM25's, over questions drawn from all conversations."""
    ours: dict[int, list[float]] = {12: [], 100: []}
    others: dict[str, list[float]] = {"plain": [], "quoted": []}
    talks = list(conversations())
    asked = [(number, question) for number, (_, questions) in enumerate(talks) for question in questions]
    chosen = random.Random(5).sample(asked, min(sample, len(asked)))
    for number, (turns, _) in enumerate(talks):
        mine = [question for at, question in chosen if at == number]
        with tempfile.TemporaryDirectory() as folder, filled(Path(folder), turns) as engine, engine.history.read():
            given = context.load(engine, "talk", hard=0)
            order = bm25(list(turns.values()))
            for question, marks in mine:
                for most, found in ours.items():
                    found.append(share(quoted(engine, given, question, most), marks))
                ranked = [list(turns)[at] for at in order(question)]
                others["plain"].append(share(within(ranked, turns, 0), marks))
                others["quoted"].append(share(within(ranked, turns, QUOTING), marks))
    head = f"evidence recall, {len(chosen)} questions, {BUDGET:,} tokens"
    beside = f"BM25 {mean(others['plain'])}, with our quotation marks around each turn {mean(others['quoted'])}"
    return [Row(f"{head}, {most} quotations at most", mean(found), beside) for most, found in ours.items()]


def conversations() -> Iterator[tuple[dict[str, str], list[Question]]]:
    """Turns by id with what was said, and questions with the ids of the turns that answer them."""
    path = places.data() / "eval" / "locomo.dev.json"
    if not path.exists():
        raise places.MissingInputError(f"no {path}")
    for talk in json.loads(path.read_text(encoding="utf-8")):
        said = talk["conversation"]
        numbers = sorted(int(key[8:]) for key in said if re.fullmatch(r"session_\d+", key))
        turns = {turn["dia_id"]: _text(turn) for number in numbers for turn in said[f"session_{number}"]}
        questions = [(str(one["question"]), _marks(one) & turns.keys()) for one in talk["qa"]]
        yield turns, [(question, frozenset(marks)) for question, marks in questions if marks]


def filled(root: Path, turns: dict[str, str]) -> Engine:
    """An engine that knows one session: the conversation."""
    start = dt.datetime(2023, 5, 1, tzinfo=dt.UTC)
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "talk", "timestamp": start.isoformat(), "cwd": "/talk"}
    ]
    parent = None
    for number, (id_, text) in enumerate(turns.items()):
        time = (start + dt.timedelta(minutes=number)).isoformat()
        message = {"role": "assistant" if number % 2 else "user", "content": [{"type": "text", "text": text}]}
        lines.append({"type": "message", "id": id_, "parentId": parent, "timestamp": time, "message": message})
        parent = id_
    log = root / "logs" / "talk.jsonl"
    log.parent.mkdir()
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    engine = open_engine(root / "data", env={"HOME": str(root)})
    index(engine, IndexRequest(root=(f"pi={log.parent}",), only_roots=True))
    return engine


def quoted(engine: Engine, given: Context, question: str, most: int) -> set[str]:
    """The turns that our retrieval quotes."""
    task = QuotationTask(question, (), most, BUDGET, until=len(given.branch) + 1)
    found = recall.recalled(engine, given, task, cost=lambda text: CHARS.plain("user", text))
    return {source for one in found.supplements for source in one.sources}


def bm25(texts: Sequence[str]) -> Callable[[str], list[int]]:
    """Plain BM25 over texts: a function that gives their positions for a question, best first."""
    bags = [Counter(_WORD.findall(text.lower())) for text in texts]
    lengths = [sum(bag.values()) for bag in bags]
    average = statistics.mean(lengths)
    holders = Counter(word for bag in bags for word in bag)

    def order(question: str) -> list[int]:
        scores = [0.0] * len(bags)
        for word in set(_WORD.findall(question.lower())):
            rarity = math.log(1 + (len(bags) - holders[word] + 0.5) / (holders[word] + 0.5))
            for at, bag in enumerate(bags):
                if bag[word]:
                    length = 1.2 * (0.25 + 0.75 * lengths[at] / average)
                    scores[at] += rarity * bag[word] * 2.2 / (bag[word] + length)
        return sorted(range(len(bags)), key=lambda at: -scores[at])

    return order


def within(ranked: Sequence[str], turns: dict[str, str], extra: int) -> set[str]:
    """The first turns that fit the budget, each with so many tokens around it."""
    room = BUDGET
    found = set()
    for id_ in ranked:
        room -= CHARS.plain("user", turns[id_]) + extra
        if room < 0:
            break
        found.add(id_)
    return found


def share(found: set[str], marks: frozenset[str]) -> float:
    """How many of the answering turns were found."""
    return len(found & marks) / len(marks)


def mean(values: Sequence[float]) -> str:
    """A mean for the table."""
    return f"{statistics.mean(values):.3f}"


def _text(turn: dict[str, Any]) -> str:
    shared = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{shared}"


def _marks(question: dict[str, Any]) -> set[str]:
    return {mark for text in question.get("evidence", []) for mark in re.findall(r"D\d+:\d+", text)}
