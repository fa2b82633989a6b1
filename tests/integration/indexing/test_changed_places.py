"""After any changes of places each session lies in the place in which a rebuild would find it."""

from pathlib import Path

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk
from tests.fakes.projection import of_file

CHANGES = {
    "another agent's": [("--root", "pi={C}"), ("--drop-root", "{C}", "--root", "claude-code={C}")],
    "inside another": [("--root", "pi={A}"), ("--drop-root", "{A}", "--root", "pi={A}/sub", "--root", "pi={A}")],
    "around another": [("--root", "pi={A}/sub"), ("--drop-root", "{A}/sub", "--root", "pi={A}")],
    "inside a default one": [("--root", "pi={D}/here")],
    "again": [("--root", "pi={C}"), ("--drop-root", "{C}"), ("--root", "pi={C}")],
}


@pytest.mark.parametrize("steps", CHANGES.values(), ids=CHANGES.keys())
def test_sessions_lie_where_a_rebuild_finds_them(desk: Desk, tmp_path: Path, steps: list[tuple[str, ...]]) -> None:
    names = {"A": tmp_path / "A", "C": tmp_path / "C", "D": desk.pi_folder}
    for folder in (tmp_path / "A" / "sub", tmp_path / "A", tmp_path / "C", desk.pi_folder / "here"):
        desk.put(folder / "s.jsonl", logs.pi(f"s-{folder.name}", ["the quince is ripe"]))
    desk.ask("index")
    for words in steps:
        desk.ask("index", *(word.format(**names) for word in words))
    found, told = of_file(desk.database), desk.ask("sources")
    desk.ask("rebuild")
    assert (of_file(desk.database), desk.ask("sources")) == (found, told)
