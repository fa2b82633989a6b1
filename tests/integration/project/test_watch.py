"""A watched project: whatever happens to its files is in the index a moment later, without anybody asking it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from backstory.engine.project import watch as project_watch
from backstory.errors import InvalidProjectError
from tests.fakes.project_tree import Tree, module

PATIENCE = 20.0


@pytest.fixture(params=[True, False], ids=["noticed", "looked for"])
def tree(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """A project, and a watch that is told of changes, or has to look for them."""
    if request.param:
        pytest.importorskip("watchfiles")
    else:
        monkeypatch.setattr(project_watch, "notifier", lambda: None)
    monkeypatch.setattr(project_watch, "STEP_MS", 50)
    made = Tree(tmp_path, git=False)
    made.write("src/a.py", module("first", "alpha"))
    made.write("lib/b.py", module("second", "beta"))
    return made


@contextmanager
def watched(tree: Tree) -> Iterator[Callable[[set[str]], None]]:
    """Runs a watch beside; what is given waits until just these files are indexed."""
    ended: list[BaseException] = []
    stop = threading.Event()

    def run() -> None:
        try:
            project_watch.watch(tree.project, cancelled=stop.is_set)
        except BaseException as error:  # noqa: BLE001 - told below
            ended.append(error)

    def reach(wanted: set[str]) -> None:
        end = time.monotonic() + PATIENCE
        while not ended and set(tree.paths()) != wanted and time.monotonic() < end:
            time.sleep(0.02)
        assert not ended, ended
        assert set(tree.paths()) == wanted

    beside = threading.Thread(target=run)
    beside.start()
    try:
        reach(set(tree.paths()) | {"src/a.py", "lib/b.py"})
        time.sleep(0.2)  # a watcher tells of nothing that happened before it began
        yield reach
    finally:
        stop.set()
        beside.join(PATIENCE)


def test_files_that_come_and_go_are_followed(tree: Tree) -> None:
    with watched(tree) as reach:
        tree.write("src/c.py", module("third", "gamma"))
        reach({"src/a.py", "lib/b.py", "src/c.py"})
        (tree.root / "src/a.py").unlink()
        reach({"lib/b.py", "src/c.py"})
        tree.write(".env", "x=1\n")
        tree.write("src/d.py", module("fourth", "delta"))
        reach({"lib/b.py", "src/c.py", "src/d.py"})


def test_whole_folders_that_come_and_go_are_followed(tree: Tree, tmp_path: Path) -> None:
    with watched(tree) as reach:
        (tree.root / "lib").rename(tmp_path / "away")
        reach({"src/a.py"})
        (tmp_path / "away").rename(tree.root / "back")
        reach({"src/a.py", "back/b.py"})


@pytest.mark.parametrize("name", [".gitignore", ".ignore"])
def test_rules_of_what_to_ignore_are_followed(tree: Tree, name: str) -> None:
    with watched(tree) as reach:
        tree.write(name, "lib/\n")
        reach({"src/a.py", name})


def test_a_folder_that_is_gone_is_told_and_not_forgotten(tree: Tree, tmp_path: Path) -> None:
    with watched(tree):
        tree.root.rename(tmp_path / "elsewhere")
    with pytest.raises(InvalidProjectError):
        project_watch.watch(tree.project, seconds=1, cancelled=lambda: False)
    assert set(tree.paths()) == {"src/a.py", "lib/b.py"}


def test_many_changes_at_once_are_one_look(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = Tree(tmp_path, git=False)

    def changes(root: Path, **_: object) -> Iterator[set[tuple[int, str]]]:
        for number in range(300):
            made.write(f"m{number}.py", module(f"f{number}", "alpha"))
        yield {(1, str(root / f"m{number}.py")) for number in range(300)}

    monkeypatch.setattr(project_watch, "notifier", lambda: SimpleNamespace(watch=changes).watch)
    assert project_watch.watch(made.project, cancelled=lambda: False) == (2, 300)
    assert len(made.paths()) == 300
