"""What a project's index knows of the past: the ancestors of HEAD, as a new index would read them."""

import subprocess
from pathlib import Path

import pytest

from backstory.engine.project import access as use
from backstory.errors import CancelledError
from backstory.project import git
from backstory.project.discover import ProjectLimits
from backstory.store.project.database import ProjectStore
from tests.fakes.project_tree import Tree, module


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    for number in range(3):
        made.write(f"part{number}.py", module(f"part_{number}", "nothing"))
        made.commit(f"Make part {number}")
    return made


def past(project: use.Project) -> list[tuple[int, int]]:
    """How many paths each known commit touched, by its place."""
    with ProjectStore(str(project.database)) as store:
        rows: list[tuple[int, int]] = store.rows("SELECT id, files FROM commits ORDER BY id")
    return [(number - rows[0][0], files) for number, files in rows]


def test_a_merge_is_no_commit_of_its_own(tree: Tree) -> None:
    tree.git("checkout", "-q", "-b", "side")
    tree.write("part0.py", module("part_0", "the side"))
    tree.commit("Change part 0 on the side")
    tree.git("checkout", "-q", "main")
    tree.git("merge", "-q", "--no-ff", "-m", "Merge the side", "side")
    tree.index()
    assert past(tree.project) == [(0, 1), (1, 1), (2, 1), (3, 1)]


def test_what_a_pass_that_was_stopped_knows_of_the_past_it_knows_once(tree: Tree) -> None:
    tree.index()
    tree.write("part1.py", module("part_1", "something"))
    tree.commit("Change part 1")
    for _ in range(2):
        with pytest.raises(CancelledError):
            use.index(tree.project, cancelled=lambda: True)
    tree.index()
    assert past(tree.project) == [(0, 1), (1, 1), (2, 1), (3, 1)]


def test_a_clone_that_was_shallow_knows_its_past_once_it_is_there(tree: Tree, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{tree.root}", str(clone)], check=True)
    project = use.Project(clone.resolve(), tmp_path / "clone.db", ProjectLimits())
    use.index(project)
    assert past(project) == [(0, 3)]
    tree.git("fetch", "-q", "--unshallow", cwd=clone)
    use.index(project)
    assert past(project) == [(0, 1), (1, 1), (2, 1)]


def test_a_past_that_cannot_be_read_is_not_that_of_another_commit(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.index()
    tree.write("part1.py", module("part_1", "something"))
    tree.commit("Change part 1")
    with monkeypatch.context() as patch:
        patch.setattr(git, "history", lambda *_: None)
        told = [tree.index().warnings for _ in range(2)]
    assert told == [("the commit history could not be read",), ()]
    assert past(tree.project) == []
    tree.write("part2.py", module("part_2", "something"))
    tree.commit("Change part 2")
    tree.index()
    assert len(past(tree.project)) == 5


def test_a_trusted_folder_of_another_owner_has_its_past(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backstory.project.git._ENVIRONMENT", {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    tree.index()
    assert len(past(tree.project)) == 3


def test_the_past_is_there_in_the_first_answer(tree: Tree) -> None:
    for number, message in enumerate(("Repair the cursor", "Nothing", "Nothing")):
        tree.write(f"part{number}.py", module(f"part_{number}", f"nothing but cursor, {number}"))
        tree.commit(message)
    found = tree.search("cursor", fresh=True)
    told = {file.path: file.reason for file in found.files}
    assert "similar commits touched it" in told["part0.py"]
