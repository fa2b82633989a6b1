"""Projects on disks of other kinds: one that cannot be written, and one with a hundred thousand files to ignore."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from backstory.engine.project import browse
from backstory.errors import ReadOnlyDatabaseError
from tests.fakes.project_tree import Tree, module

FOLDERS, IN_EACH = 100, 1000


@contextmanager
def mounted(place: Path, *arguments: str) -> Iterator[None]:
    """Something mounted at `place`; the test is skipped where that is not permitted."""
    done = subprocess.run(["mount", *arguments, str(place)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("mounting is not permitted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.parametrize("git", [True, False])
def test_a_project_on_a_read_only_disk_is_indexed_and_searched(tmp_path: Path, *, git: bool) -> None:
    tree = Tree(tmp_path, git=git)
    for number in range(12):
        tree.write(f"src/part{number}.py", module(f"part{number}", f"gadget{number} widget"))
    if git:
        tree.commit("Make gadgets")
    with mounted(tree.root, "--bind", str(tree.root)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(tree.root)], check=True)
        with pytest.raises(OSError, match="Read-only"):
            tree.write("src/new.py", "")
        assert tree.index().indexed == 12
        assert tree.index().read == 0
        assert tree.search("where is the widget of gadget7", fresh=True).files[0].path == "src/part7.py"
        assert "def part3" in browse.show(tree.project, "src/part3.py")[0].text


def test_an_index_on_a_read_only_disk_is_asked_as_it_is(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    for name in ("kept", "grown", "gone"):
        tree.write(f"src/{name}.py", module(f"do_{name}", "gadget widget"))
    tree.index()
    place = tmp_path / "data"
    place.mkdir()
    tree.project = msgspec.structs.replace(tree.project, database=place / "projects" / "index.db")
    with mounted(place, "--bind", str(place)):
        tree.index()
        subprocess.run(["mount", "-o", "remount,ro,bind", str(place)], check=True)
        tree.write("src/grown.py", module("do_grown", "gadget widget and more"))
        (tree.root / "src/gone.py").unlink()
        found = tree.search("where is the gadget widget", fresh=True)
        assert [file.path for file in found.files] == ["src/kept.py"]
        assert any("left out" in warning for warning in found.warnings)
        assert "def do_grown" in browse.show(tree.project, "do_grown")[0].text
        assert [file.path for file in browse.files(tree.project, "src/k", 9)[0]] == ["src/kept.py"]
        with pytest.raises(ReadOnlyDatabaseError):
            tree.index()
        with pytest.raises(ReadOnlyDatabaseError):
            msgspec.structs.replace(tree.project, database=place / "projects" / "none.db").open()


@pytest.mark.parametrize("git", [True, False])
def test_a_hundred_thousand_ignored_files_are_not_even_named(tmp_path: Path, *, git: bool) -> None:
    (tmp_path / "tree").mkdir()
    with mounted(tmp_path / "tree", "-t", "tmpfs", "-o", "size=64m,nr_inodes=200000", "none"):
        tree = Tree(tmp_path, git=git)
        tree.write(".gitignore", "*.junk\n")
        tree.write("src/part.py", module("part", "gadget"))
        for folder in range(FOLDERS):
            place = tree.root / f"heap{folder}"
            place.mkdir()
            handle = os.open(place, os.O_RDONLY)
            for number in range(IN_EACH):
                os.mknod(f"{number}.junk", dir_fd=handle)
            os.close(handle)
        report = tree.index()
        assert (report.files, report.truncated) == (2, False)
