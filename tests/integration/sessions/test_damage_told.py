"""Records that could not be read are named by file, line and reason wherever a person asks about their log."""

from pathlib import Path

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk

MOST = 20


@pytest.fixture
def damaged(desk: Desk) -> tuple[Desk, Path]:
    """A session with two damaged records, beside a whole one."""
    desk.pi("whole", ["why did we drop the retry"])
    head, *rest = logs.pi("torn", ["plant the quinces", "done"]).splitlines(keepends=True)
    path = desk.put(desk.pi_folder / "torn.jsonl", b"".join([head, b'{"type":"mess\n', *rest, b"\0\0\0\0\n"]))
    assert desk.run("index").code == 0
    return desk, path


@pytest.mark.parametrize("words", [("show", "torn"), ("sources",), ("verify",)], ids=" ".join)
def test_damage_is_told_with_its_place(damaged: tuple[Desk, Path], words: tuple[str, ...]) -> None:
    desk, path = damaged
    told = desk.run(*words, "--json").json["damage"]
    assert [(one["path"], one["line"], one["oversized"]) for one in told] == [
        (str(path), 2, False),
        (str(path), 5, False),
    ]
    text = path.read_bytes()
    assert [text[one["offset"] :].split(b"\n")[0] for one in told] == [b'{"type":"mess', b"\0\0\0\0"]
    assert all(one["reason"] for one in told)
    assert f"{path.name}:2" in desk.run(*words).out
    assert f"{path.name}:5" in desk.run(*words).out


def test_a_whole_session_has_none(damaged: tuple[Desk, Path]) -> None:
    desk, _ = damaged
    assert desk.run("show", "whole", "--json").json["damage"] == []
    assert "skipped" not in desk.run("show", "whole").out


def test_of_much_damage_the_first_is_told(damaged: tuple[Desk, Path]) -> None:
    desk, path = damaged
    with path.open("ab") as file:
        file.write(b"{\n" * 2 * MOST)
    for words in (("show", "torn"), ("sources",), ("verify",)):
        assert [one["line"] for one in desk.run(*words, "--json").json["damage"]] == [2, *range(5, 4 + MOST)]
