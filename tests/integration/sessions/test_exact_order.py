"""Exact answers are complete and newest first, however few rows are looked at: compared with reading every text."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.retrieve import exact
from backstory.store import pieces
from backstory.store.history import History, open_history
from backstory.store.where import Clause
from tests.fakes import logs
from tests.fakes.desk import Desk

WORDS = ("retry", "Cache", "cmd/entire", "build-it", "note", "a", "über", "retrying", "go")
SESSIONS = 24
EVERYTHING = 10_000


@pytest.fixture
def history(desk: Desk, tmp_path: Path) -> Iterator[History]:
    draw = random.Random(3)
    folder = tmp_path / "logs"
    order = [*range(SESSIONS)]
    draw.shuffle(order)
    for number in order:
        texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(draw.randint(1, 20))]
        lines = [json.loads(line) for line in logs.pi(f"s{number}", texts).decode().splitlines()]
        for line in lines[1:]:
            line["timestamp"] = f"2026-01-{draw.randint(1, 28):02}T{draw.randint(0, 3):02}:00:00.000Z"
        desk.put(folder / f"s{number}.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())
    desk.ask("index", "--only-roots", "--root", f"pi={folder}")
    opened = open_history(str(desk.database), read_only=True)
    yield opened
    opened.close()


def expected(history: History, text: str) -> list[tuple[int, int]]:
    """All entries that hold a text: those in which it stands between words, then the others; each part newest first."""
    sql = """
        SELECT e.id, e.session, t.text FROM entries e JOIN texts t ON t.id = e.id JOIN sessions s ON s.key = e.session
        WHERE e.copy = 0 AND instr(t.text, ?) > 0 ORDER BY coalesce(e.time, -1) DESC, s.source, s.id, s.path, e.seq
    """
    rows = sorted(history.rows(sql, (text,)), key=lambda row: not stands(row[2], text))
    return [(id_, session) for id_, session, _ in rows]


def stands(body: str, text: str) -> bool:
    starts = [at for at in range(len(body)) if body.startswith(text, at)]
    return any(
        not (text[0].isalnum() and body[max(at - 1, 0) : at].isalnum())
        and not (text[-1].isalnum() and body[at + len(text) : at + len(text) + 1].isalnum())
        for at in starts
    )


@pytest.mark.parametrize("bounds", [(0, 1, 0), (0, 10, 0), (5, 40, 0), (1_500, 5_000, 0), (1_500, 5_000, 300)])
def test_exact_hits_are_complete_and_newest_first(
    history: History, monkeypatch: pytest.MonkeyPatch, bounds: tuple[int, int, int]
) -> None:
    monkeypatch.setattr(pieces, "SORTED_AT_ONCE", bounds[0])
    monkeypatch.setattr(pieces, "KNOWN", bounds[1])
    monkeypatch.setattr(pieces, "PROBED", max(bounds[1] // 3, 1))
    monkeypatch.setattr(pieces, "NOT_MANY", 2 * bounds[0])
    monkeypatch.setattr(pieces, "SESSIONS", (1, 2, 4))
    monkeypatch.setattr(pieces, "GAP", 3)
    monkeypatch.setattr(exact, "MOST_READ", bounds[2])
    monkeypatch.setattr(pieces, "LATEST", bounds[1])
    monkeypatch.setattr(exact, "MOST_TERMS", bounds[2])
    inside = ("-", "etr", "t", "n", "etry Cac", "d/entire not", "it retrying c")
    for text in (*inside, "retry", "cmd/entire", "build-it a", "a", "über go"):
        whole = exact.exact(history, text, Clause("", {}), offset=0, limit=EVERYTHING)
        assert whole == expected(history, text), text
        pages = [exact.exact(history, text, Clause("", {}), offset=at, limit=7) for at in range(0, len(whole) + 1, 7)]
        assert [row for page in pages for row in page] == whole


@pytest.mark.parametrize("few", [0, 300])
@pytest.mark.parametrize(
    ("text", "whole", "cut"),
    [
        ("🤖", ["see 🤖 here"], ["🤖Generated", "by🤖"]),
        ("\ue0a0", ["on \ue0a0 now"], ["\ue0a0main"]),
        (" a\u030a", ["er a\u030a deg"], ["er a\u030auber"]),
        ("\u0301t", ["e \u0301t u"], ["e\u0301tude", "re\u0301t"]),
        ("T", ["a T junction"], ["HTTP can't be a t", "TTL: the t of it"]),
    ],
)
def test_signs_that_the_index_takes_for_letters_hide_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, text: str, whole: list[str], cut: list[str], few: int
) -> None:
    monkeypatch.setattr(exact, "MOST_READ", few)
    desk.pi("odd", [*cut, "nothing of it", *whole])
    desk.ask("index")
    history = open_history(str(desk.database), read_only=True)
    found = exact.exact(history, text, Clause("", {}), offset=0, limit=EVERYTHING)
    said = [bodies for id_, _ in found for _, bodies in pieces.texts(history, [id_])]
    history.close()
    assert [body.decode() for body in said] == [*reversed(whole), *reversed(cut)]


def test_the_end_of_a_word_that_is_too_long_for_the_index_is_found(desk: Desk) -> None:
    desk.pi("long", ["x" * 40_000 + "NEEDLE42 tail", "nothing of it"])
    for text in ("NEEDLE42", "EDLE4", "NEEDLE42 ta", "x" * 100 + "NEEDLE"):
        assert len(desk.hits(text, "--exact")) == 1, text
