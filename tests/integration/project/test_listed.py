"""A pass that finds Git listing what it listed before: it takes nothing apart, and never misses a file for that."""

from collections.abc import Set as AbstractSet
from pathlib import Path

import apsw
import msgspec
import pytest

from backstory.engine.project import access as use
from backstory.index import projects
from backstory.project import discover as discovery
from backstory.project.discover import Discovery, Look, ProjectLimits
from backstory.store.project import files
from backstory.store.project.database import ProjectStore
from tests.fakes.project_tree import Tree, module


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    for number in range(4):
        made.write(f"src/area{number}.py", module(f"do_{number}", f"topic{number} widget"))
    made.write("dist/packed.py", "x = 1\n")
    made.commit("First widgets")
    return made


@pytest.fixture
def taken_apart(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each list of Git that was taken apart."""
    calls: list[str] = []

    def discover(root: Path, limits: ProjectLimits, seen: Look, known: AbstractSet[str] = frozenset()) -> Discovery:
        calls.append("list")
        return discovery.discover(root, limits, seen, known)

    monkeypatch.setattr(projects, "discover", discover)
    return calls


def test_an_unchanged_pass_takes_nothing_apart_and_tells_the_same(tree: Tree, taken_apart: list[str]) -> None:
    first = tree.index()
    second = tree.index()
    assert len(taken_apart) == 1
    assert (second.files, second.unchanged, second.read) == (4, 4, 0)
    assert second.excluded == first.excluded
    assert sum(first.excluded.values()) == 1


def test_a_file_with_other_times_is_read(tree: Tree, taken_apart: list[str]) -> None:
    tree.index()
    tree.write("src/area2.py", module("do_2", "something else"))
    assert tree.index().read == 1
    assert len(taken_apart) == 2
    assert tree.index().read == 0
    assert len(taken_apart) == 2


def test_a_tracked_file_that_comes_back_is_found(tree: Tree) -> None:
    tree.index()
    text = (tree.root / "src/area1.py").read_text(encoding="utf-8")
    (tree.root / "src/area1.py").unlink()
    assert tree.index().removed == 1
    assert tree.index().removed == 0
    tree.write("src/area1.py", text)
    assert tree.index().indexed == 1
    assert "src/area1.py" in tree.paths()


def test_a_file_forgotten_by_name_and_back_again_is_found(tree: Tree) -> None:
    tree.index()
    place = tree.root / "src/area1.py"
    place.rename(tree.root.parent / "aside.py")
    assert use.refresh(tree.project, ["src/area1.py"]) == {"src/area1.py": "removed"}
    (tree.root.parent / "aside.py").rename(place)
    assert tree.index().indexed == 1


def test_a_link_that_becomes_a_file_is_found(tree: Tree) -> None:
    (tree.root / "link.py").symlink_to("src/area0.py")
    tree.index()
    tree.index()
    (tree.root / "link.py").unlink()
    tree.write("link.py", module("linked", "nothing but a file"))
    assert tree.index().indexed == 1


def test_a_stale_row_is_read_again(tree: Tree) -> None:
    tree.index()
    with ProjectStore(str(tree.project.database)) as store, store.writing("mark"):
        files.mark_stale(store, ["src/area3.py"])
    assert tree.index().read == 1


def test_other_bounds_are_another_list(tree: Tree) -> None:
    tree.index()
    tree.project = msgspec.structs.replace(tree.project, limits=ProjectLimits(files=2))
    assert tree.index().truncated
    assert len(tree.paths()) == 2


def test_a_file_is_left_out_and_taken_in_again_as_the_largest_size_is_set(tree: Tree) -> None:
    for number in range(9):
        tree.write(f"src/long{number}.py", module(f"long_{number}", "word " * 40))
    tree.commit("Long ones")
    tree.index()
    assert len(tree.paths()) == 13
    tree.project = msgspec.structs.replace(tree.project, limits=ProjectLimits(file_bytes=150))
    told = tree.index()
    assert (len(tree.paths()), told.excluded["oversized"]) == (4, 9)
    assert tree.index().read == 0
    tree.project = msgspec.structs.replace(tree.project, limits=ProjectLimits())
    assert tree.index().indexed == 9


def test_files_of_a_submodule_are_always_compared(tree: Tree, tmp_path: Path, taken_apart: list[str]) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    tree.git("init", "-q", "-b", "main", cwd=inner)
    (inner / "part.py").write_text(module("part", "piece"), encoding="utf-8")
    tree.git("add", "-A", cwd=inner)
    tree.git("commit", "-q", "-m", "Part", cwd=inner)
    tree.git("submodule", "--quiet", "add", str(inner), "inner")
    tree.index()
    tree.write("inner/other.py", module("other", "new beside the part"))
    assert tree.index().indexed == 1
    assert len(taken_apart) == 2


def test_the_status_of_an_index_of_an_earlier_version(tree: Tree) -> None:
    tree.index()
    home = tree.home
    kept = use.database(home, tree.root)
    kept.parent.mkdir(parents=True)
    tree.project.database.rename(kept)
    database = apsw.Connection(str(kept))
    database.execute(
        "ALTER TABLE state DROP COLUMN listed; ALTER TABLE state DROP COLUMN rules;"
        " DROP INDEX symbols_by_line; CREATE INDEX symbols_by_file ON symbols (file_id);"
        " DELETE FROM migrations WHERE version > 1; PRAGMA user_version = 1"
    )
    database.close()
    assert use.status(home, tree.root, trusted=True).files == 4


def test_single_writes_leave_few_segments(tree: Tree) -> None:
    tree.index()
    for number in range(40):
        tree.write("src/area1.py", module("do_1", f"topic{number} again"))
        use.refresh(tree.project, ["src/area1.py"])
    with ProjectStore(str(tree.project.database)) as store:
        assert store.rows("SELECT count(DISTINCT segid) <= 6 FROM file_fts_idx") == [(1,)]
        assert store.rows("SELECT count(DISTINCT segid) <= 6 FROM path_fts_idx") == [(1,)]
    assert tree.search("topic39 again").files[0].path == "src/area1.py"
