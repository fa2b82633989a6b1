"""What each project command tells in projects of every kind: empty, too large, without Git, bare, shallow, nested."""

import subprocess
from pathlib import Path

import pytest

from backstory.engine.project import access as use
from backstory.engine.project import browse, evaluate
from backstory.errors import InvalidFilterError, InvalidProjectError, UnknownTargetError
from backstory.project.discover import ProjectLimits
from backstory.project.root import canonical
from tests.fakes.desk import Desk
from tests.fakes.project_tree import Tree, module


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.write(
        "src/cursor.py", module("parse_cursor", "pages") + "\n\nclass LeaseKeeper:\n    def release(self): ...\n"
    )
    made.commit("Parse the cursor of a page")
    return made


def beside(tree: Tree, name: str) -> use.Project:
    """A project in a folder beside a tree's."""
    root = tree.root.parent / name
    root.mkdir(exist_ok=True)
    return use.Project(root.resolve(), tree.root.parent / f"{name}.db", ProjectLimits(), lambda: tree.time)


def why(project: use.Project) -> str:
    report = evaluate.evaluate(project)
    assert report.overall.queries == 0
    (told,) = report.warnings
    return told


def test_where_nothing_can_be_measured_the_reason_is_told(tree: Tree) -> None:
    assert "none has exactly one parent" in why(tree.project)
    assert "in no Git work tree" in why(beside(tree, "plain"))
    empty = beside(tree, "young")
    tree.git("init", "-q", cwd=empty.root)
    assert "has no commits yet" in why(empty)
    tree.write("src/pages.py", module("next_page", "pages"))
    tree.commit("Turn pages")
    tree.write("README.md", "# Pages\n")
    tree.commit("Say what it is")
    for number in range(5):
        tree.write(f"src/more{number}.py", "one = 1\n")
    tree.commit("Say more")
    for number in range(5):
        tree.write(f"src/more{number}.py", "two = 2\n")
    tree.commit("Say it otherwise")
    told = why(tree.project)
    assert "of the newest 4: 3 changing no code that was there before" in told
    assert "1 changing more than 4 code files" in told
    cut = beside(tree, "cut")
    tree.git("clone", "-q", "--depth", "1", f"file://{tree.root}", str(cut.root))
    assert "git fetch --unshallow" in why(cut)


def test_an_empty_folder_is_indexed_once_it_was_looked_at(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = desk.home / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert desk.run("project", "trust").code == 0
    assert "not indexed yet" in desk.run("project", "status").out
    assert desk.run("project", "index").out.startswith("0 files: ")
    assert "\n0 files, 0 snippets, " in desk.run("project", "status").out
    told = desk.run("project", "eval")
    assert (told.code, told.out.count("\n")) == (0, 1)
    assert "Git" in told.out


def test_a_project_of_nothing_readable_tells_what_was_left_out(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = desk.home / "huge"
    folder.mkdir()
    (folder / "big.py").write_text("x = 1\n" * 100_000, encoding="utf-8")
    (folder / "raw.txt").write_bytes(b"\0\1\2" * 100)
    monkeypatch.chdir(folder)
    assert desk.run("project", "trust").code == 0
    found = desk.run("project", "search", "where the lease is released").out
    assert "The project has no files to search." in found
    assert "1 oversized" in found
    assert "1 binary" in found
    assert "1 large file" in desk.run("project", "status").out
    assert "larger than files of an index may be" in desk.run("project", "show", "big.py:3").err
    assert "it is no text" in desk.run("project", "show", "raw.txt").err


def test_repositories_without_a_work_tree_hold_no_source(tree: Tree) -> None:
    plain = beside(tree, "store")
    (plain.root / "note.md").write_text("# Where the repository lies\n", encoding="utf-8")
    bare = plain.root / "kept.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(tree.root), str(bare)], check=True)
    report = use.index(plain)
    assert report.files == 1
    assert report.excluded == {"bare repository": 1}
    inside = use.Project(bare.resolve(), tree.root.parent / "bare.db", ProjectLimits(), lambda: tree.time)
    assert use.index(inside).files == 0


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("parse_cursr", ("parse_cursor",)),
        ("parseCursor", ("parse_cursor",)),
        ("Cursor.parse_cursro", ("parse_cursor",)),
        ("prase_cursro", ("parse_cursor",)),
        ("lease", ("release", "LeaseKeeper")),
        ("cursor.py", ("src/cursor.py",)),
        ("lib/cursor.py", ("src/cursor.py",)),
        ("nothing_like_it", ()),
        ("x", ()),
        ("%", ()),
    ],
)
def test_near_names_are_offered(tree: Tree, name: str, near: tuple[str, ...]) -> None:
    assert browse.symbols(tree.project, name) == ([], near)
    told = f"did you mean {near[0]}" if near else "no declaration called"
    with pytest.raises(UnknownTargetError, match=told):
        browse.show(tree.project, name)


def test_no_name_is_offered_where_one_is_found(tree: Tree) -> None:
    found, near = browse.symbols(tree.project, "parse_cursor")
    assert [item.detail.symbol.name for item in found] == ["parse_cursor"]
    assert near == ()


def test_a_name_written_as_it_is_goes_before_others_in_another_case(tree: Tree) -> None:
    tree.write("a/early.py", "TOKEN = 1\n")
    tree.write("z/late.py", "class Token:\n    pass\n")
    for asked, order in (("Token", ["Token", "TOKEN"]), ("TOKEN", ["TOKEN", "Token"]), ("token", ["TOKEN", "Token"])):
        found, _ = browse.symbols(tree.project, asked)
        assert [item.detail.symbol.name for item in found] == order, asked
        assert browse.show(tree.project, asked)[0].symbol == order[0]


@pytest.mark.parametrize("path", ["/" + "a" * 300, "a" * 300 + ".py", "a/" * 3_000 + "a.py"])
def test_a_name_that_no_file_can_have_is_unknown(tree: Tree, path: str) -> None:
    with pytest.raises(UnknownTargetError):
        browse.show(tree.project, path)


def test_a_line_that_a_file_does_not_have_is_named_alone(tree: Tree) -> None:
    with pytest.raises(InvalidFilterError, match=r"not 999$"):
        browse.show(tree.project, "src/cursor.py:999")
    with pytest.raises(InvalidFilterError, match=r"not 998-999$"):
        browse.show(tree.project, "src/cursor.py:998-999")


def test_paths_may_be_spelled_from_the_root_of_the_file_system(tree: Tree) -> None:
    (whole,) = browse.show(tree.project, str(tree.root / "src/cursor.py"))
    assert whole.path == "src/cursor.py"
    assert browse.symbols(tree.project, "./src/cursor.py")[0]
    with pytest.raises(UnknownTargetError, match="outside of the project"):
        browse.show(tree.project, "/etc/passwd")
    tree.write(".env", "A=1\n")
    with pytest.raises(UnknownTargetError, match="credentials"):
        browse.show(tree.project, ".env")


def test_what_changed_of_late_is_no_answer_by_itself(tree: Tree) -> None:
    tree.index()
    found = tree.search("quartz obsidian")
    assert (found.status, found.files, found.items) == ("ranked", (), ())
    assert tree.search("parse the cursor").files


@pytest.mark.parametrize("words", [("--commits", "0"), ("--commits", "-3"), ("--budget", "0")])
def test_measuring_nothing_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]) -> None:
    folder = desk.home / "any"
    folder.mkdir()
    monkeypatch.chdir(folder)
    refused = desk.run("project", "eval", "--trust-once", *words)
    assert refused.code == 2
    assert f"{words[0]} takes a positive number" in refused.err


def test_a_folder_that_is_not_there_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(InvalidProjectError, match="no such folder"):
        canonical(tmp_path / "gone")
    (tmp_path / "file").touch()
    with pytest.raises(InvalidProjectError, match="not a folder"):
        canonical(tmp_path / "file")


def test_declared_names_are_offered_to_people(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = desk.home / "shop"
    folder.mkdir()
    (folder / "queue.py").write_text(module("take_job", "jobs"), encoding="utf-8")
    monkeypatch.chdir(folder)
    assert desk.run("project", "trust").code == 0
    assert desk.run("project", "symbols", "takeJob").out == "No declarations. Did you mean take_job?\n"
    assert desk.run("project", "symbols", "absent").out == "No declarations.\n"
