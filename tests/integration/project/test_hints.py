"""Whoever finds nothing in a project is told what is like it, what is not searched, and where else to look."""

from pathlib import Path

import pytest

from tests.fakes.desk import Desk

ELSEWHERE = "to look for it in sessions, run: backstory search WORDS"
SOURCE = "class Worker:\n    def requeue_job(self):\n        return 1\n"


@pytest.fixture
def root(desk: Desk, tmp_path: Path) -> Path:
    """A trusted project with a file that is searched and one that is not."""
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "worker.py").write_text(SOURCE, encoding="utf-8")
    (folder / "data.py").write_bytes(b"a\0b")
    assert desk.run("project", "trust", "--root", str(folder)).code == 0
    return folder


def told(desk: Desk, root: Path, *words: str) -> list[str]:
    """The warnings of a search that finds nothing, which people see as well."""
    command = ("project", "search", *words, "--root", str(root))
    page = desk.run(*command, "--json").json
    assert page["files"] == []
    shown = " ".join(desk.run(*command).out.split())
    assert all(one in shown for one in page["warnings"])
    warnings: list[str] = page["warnings"]
    return warnings


@pytest.mark.parametrize("more", [(), ("--no-sync",)])
def test_what_matches_nothing_has_a_next_step(desk: Desk, root: Path, more: tuple[str, ...]) -> None:
    assert desk.run("project", "index", "--root", str(root)).code == 0
    first, *rest, last = told(desk, root, "nonesuch_name", *more)
    assert first == "looked through 1 file"
    assert last == ELSEWHERE
    assert "files that are not searched: 1 binary, and those that Git ignores" in rest
    assert any("--no-sync" in one for one in rest) is bool(more)


@pytest.mark.parametrize(
    ("words", "name"),
    [("why is nonesuch_name of Wroker empty", "Worker"), ("Wroker", "Worker")],
)
def test_a_likely_correction_is_named(desk: Desk, root: Path, words: str, name: str) -> None:
    assert f"there is something like it: {name}" in told(desk, root, words)


def test_what_is_found_brings_no_hint(desk: Desk, root: Path) -> None:
    page = desk.run("project", "search", "requeue_job", "--root", str(root), "--json").json
    assert page["files"]
    assert page["warnings"] == []


def test_a_plan_that_no_source_fits_warns_of_nothing(desk: Desk, root: Path) -> None:
    desk.pi("p1", ("an older question", "an answer"))
    planned = desk.run("plan", "p1", "--request", "nonesuch_name", "--project", str(root), "--json").json
    assert not any("sessions" in one or "searched" in one for one in planned["manifest"]["warnings"])
