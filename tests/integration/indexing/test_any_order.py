"""Answers do not show in what order sessions were indexed: exact ones never, ranked ones not while all was counted."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk

WORDS = ("retry", "src/a.py", "go test", "bash", "file", "fix bug", "the of and")
ROOTS = ("a", "b", "c")
MODES = (("--exact",), ("--exact", "--sessions"))
SESSIONS = 9
ENTRIES = 90


def texts(session: int) -> list[str]:
    return [f"{WORDS[(session + at) % len(WORDS)]} {WORDS[at * session % len(WORDS)]}" for at in range(ENTRIES)]


def fill(desk: Desk, folder: Path, *, share: int = ENTRIES) -> None:
    """Sessions whose entries say the same at the same times, in three roots."""
    for session in range(SESSIONS):
        path = folder / ROOTS[session % 3] / f"s{session}.jsonl"
        desk.put(path, logs.pi(f"s{session}", texts(session)[:share]))


def index(desk: Desk, folder: Path, names: str) -> None:
    roots = [word for name in names for word in ("--root", f"pi={folder / name}")]
    desk.ask("index", "--only-roots", *roots)


def answers(desk: Desk) -> dict[str, Any]:
    """The first pages of all searches."""
    found: dict[str, Any] = {}
    for query in (*WORDS, "etr", "kind:prompt"):
        for mode in MODES:
            cursor: list[str] = []
            for page in range(3):
                answer = desk.ask("search", "--no-sync", "--limit", "30", *mode, *cursor, "--", query)
                follows = answer.pop("next_cursor", None) or answer.pop("cursor", None)
                found[json.dumps([query, mode, page])] = answer
                if not follows:
                    break
                cursor = ["--cursor", follows]
    return found


@pytest.mark.parametrize("order", ["c b a", "b ca", "days"])
def test_answers_do_not_depend_on_the_order_of_arrival(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    folder = tmp_path / "roots"
    if order == "days":
        for day in range(30, ENTRIES, 20):
            fill(desk, folder, share=day)
            index(desk, folder, "abc")
        order = "cba"
    fill(desk, folder)
    for names in order.split():
        index(desk, folder, names)
    found = answers(desk)
    monkeypatch.setenv("BACKSTORY_HOME", str(tmp_path / "anew"))
    index(desk, folder, "abc")
    assert found == answers(desk)
    assert len(found) > len(WORDS) * len(MODES)


RANKED: tuple[tuple[str, ...], ...] = ((), ("--sessions",), ("query", "relevance"), ("query", "literal"))


def ranked(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for query in ("retry", "drop the cache", "src/a.py", "retry role:tool", "cache kind:prompt"):
        for mode in RANKED:
            words = ("--no-sync", "--limit", "100", *(mode if mode[:1] == ("--sessions",) else ()), "--", query)
            if mode[:1] != ("query",):
                found[f"{query} {mode}"] = desk.ask("search", *words)
                continue
            for name in ("search-events", "search-sessions"):
                answer = desk.run("query", name, "--json", "--mode", mode[1], *words)
                assert answer.code == 0, answer.err
                found[f"{query} {name} {mode}"] = answer.json
    return found


def test_ranked_answers_do_not_depend_on_how_sessions_grew(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "roots" / "a"
    said = [
        ["why was the retry dropped", "drop the cache then retry", "plain", "a cache in src/a.py", "retry it", "cache"],
        ["the cache", "retry of src/a.py", "we drop the retry", "it is plain", "cache again", "drop"],
        ["drop the cache", "nothing", "retry", "retry", "nothing of it", "cache of the retry"],
    ]
    sizes = [(at, size) for size in range(1, 7) for at in range(3)]
    for at, size in [*sizes, (1, 3), (0, 6), (1, 6)]:
        desk.put(folder / f"s{at}.jsonl", logs.pi(f"s{at}", said[at][:size]))
        index(desk, folder.parent, "a")
    found = ranked(desk)
    monkeypatch.setenv("BACKSTORY_HOME", str(tmp_path / "anew"))
    index(desk, folder.parent, "a")
    assert found == ranked(desk)


def test_one_session_in_several_files_is_told_apart_by_the_files(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "roots"
    for at, name in enumerate("cab"):
        data = logs.pi("s1", ["quince", "retry"], parent=f"/x/parent-{name}.jsonl")
        desk.put(folder / name / "twin.jsonl", data)
        desk.put(folder / name / f"parent-{name}.jsonl", logs.pi(f"parent-{name}", ["parent"]))
        index(desk, folder, name)
        assert len(desk.ask("sessions", "--no-sync")["items"]) == 2 * at + 2

    def told() -> dict[str, Any]:
        asked = ("list-sessions", "read-session s1", "trace-session s1", "read-titles s1", "list-events s1")
        return {one: desk.run("query", *one.split(), "--json", "--no-sync").json for one in asked}

    found = told()
    monkeypatch.setenv("BACKSTORY_HOME", str(tmp_path / "anew"))
    # Files are read in the order of their times.
    for name in "abc":
        for path in (folder / name).iterdir():
            desk.put(path, path.read_bytes())
    index(desk, folder, "abc")
    assert found == told()
