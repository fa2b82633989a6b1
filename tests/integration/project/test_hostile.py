"""Projects that are made to be awkward: nothing is written into them, nothing unlisted is read, every bound holds."""

from pathlib import Path

import pytest

from backstory.engine.project import access as use
from backstory.engine.project import browse
from backstory.engine.project import search as project_search
from backstory.project import walk
from backstory.store.project import state
from backstory.store.project.database import ProjectStore
from tests.fakes.project_tree import Tree, module


def snapshot(root: Path) -> dict[str, tuple[int, int, int]]:
    """Size, mtime and ctime of everything below a folder, `.git` and folders included."""
    found = {}
    for path in sorted(root.rglob("*")):
        stat = path.lstat()
        found[str(path)] = (stat.st_size if path.is_file() else 0, stat.st_mtime_ns, stat.st_ctime_ns)
    return found


@pytest.mark.parametrize("git", [True, False])
def test_nothing_is_written_into_a_project(tmp_path: Path, *, git: bool) -> None:
    tree = Tree(tmp_path, git=git)
    for number in range(12):
        tree.write(f"src/part{number}.py", module(f"part{number}", f"gadget {number}"))
    if git:
        tree.commit("First")
        tree.write("src/part1.py", module("part1", "changed gadget"))
    before = snapshot(tree.root)
    tree.index()
    tree.index(force=True)
    tree.search("where is the changed gadget", fresh=True)
    browse.show(tree.project, "src/part1.py:1-3")
    browse.symbols(tree.project, "part2")
    use.refresh(tree.project, ["src/part3.py", "src/new.py"])
    assert snapshot(tree.root) == before


def test_an_untracked_name_that_looks_like_an_entry_of_git(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write(".gitignore", "private.py\n")
    tree.write("private.py", module("private", "ignored"))
    tree.write("a.py", module("shown", "tracked"))
    tree.commit("First")
    tree.write(f"100644 {'0' * 40} 0\tprivate.py", "x = 1\n")
    tree.index()
    assert "a.py" in tree.paths()
    assert "private.py" not in tree.paths()


def test_repositories_without_a_work_tree_hold_no_source_but_a_tree_is_walked(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("a.py", module("first", "alpha"))
    tree.commit("First")
    tree.git("config", "core.bare", "true")
    assert tree.index().indexed == 1
    bare = tmp_path / "bare.git"
    tree.git("clone", "-q", "--bare", str(tree.root), str(bare), cwd=tmp_path)
    project = use.Project(bare.resolve(), tmp_path / "bare.db")
    assert use.index(project).files == 0
    assert project_search.search(project, "where is the `first` alpha").status == "empty"


def test_a_missing_head_is_no_history(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("a.py", module("first", "alpha"))
    tree.commit("First")
    (tree.root / ".git" / "HEAD").write_text("ref: refs/heads/none\n", encoding="utf-8")
    assert tree.index().indexed == 1
    with ProjectStore(str(tree.project.database)) as store:
        assert state.get(store).revision.head is None
        assert store.rows("SELECT count(*) FROM commits") == [(0,)]


def test_a_line_of_half_a_megabyte_never_breaks_the_budget(tmp_path: Path) -> None:
    tree = Tree(tmp_path, git=False)
    tree.write("bundle.js", "function gadgetize(a){return a};" + "var gadget=1;" * 35_000)
    tree.write("src/gadget.js", "// a gadget\nfunction gadgetize(a) {\n  return a;\n}\n")
    tree.index()
    found = tree.search("how does `gadgetize` treat a gadget", budget=3000)
    assert "src/gadget.js" in {item.path for item in found.items}
    assert sum(item.tokens for item in found.items) <= 3000


def test_equal_copies_are_shown_once(tmp_path: Path) -> None:
    tree = Tree(tmp_path, git=False)
    for folder in ("src", "copy", "other"):
        tree.write(f"{folder}/gadget.py", module("gadgetize", "gadgets and cursors"))
    tree.write("src/else.py", module("something", "gadgets"))
    tree.index()
    found = tree.search("where are gadgets and cursors gadgetized")
    assert len({file.path for file in found.files}) == 4
    hashes = [item.sha256 for item in found.items]
    assert len(set(hashes)) == len(hashes) == 2


def test_an_ignore_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    tree = Tree(tmp_path, git=False)
    lines = [f"no_such_{number}_*.txt" for number in range(walk.IGNORE_LINES)]
    tree.write(".gitignore", "\n".join([*lines[:-1], "early.py", "late.py", "x" * walk.IGNORE_BYTES]))
    tree.write("early.py", "x = 1\n")
    tree.write("late.py", "x = 1\n")
    tree.index()
    assert tree.paths() == [".gitignore", "late.py"]


def test_an_ignore_file_that_is_a_link_or_binary_is_no_rule(tmp_path: Path) -> None:
    tree = Tree(tmp_path, git=False)
    rules = tmp_path / "rules"
    rules.write_text("*.py\n", encoding="utf-8")
    (tree.root / ".gitignore").symlink_to(rules)
    tree.write(".ignore", b"\xff\xfe*\0.\0p\0y\0\n\0")
    tree.write("a.py", "x = 1\n")
    tree.index()
    assert tree.paths() == ["a.py"]


def test_texts_of_other_encodings_stay_out(tmp_path: Path) -> None:
    tree = Tree(tmp_path, git=False)
    tree.write("wide.py", module("wide", "gadget").encode("utf-16"))
    tree.write("nul.py", b"x = 1\0\n" * 20)
    tree.write("latin.py", ("# " + "\u00e9" * 400 + "\n").encode("latin-1"))
    tree.write("few.py", b"# caf\xe9\n" + module("few", "gadget").encode())
    tree.write("bom.py", b"\xef\xbb\xbf" + module("bom", "gadget").encode())
    report = tree.index()
    assert tree.paths() == ["bom.py", "few.py"]
    assert report.excluded == {"binary": 2, "encoding": 1}
