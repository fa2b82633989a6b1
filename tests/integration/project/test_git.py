"""Git is asked about repositories of every shape, and no repository gets to run anything."""

import os
from pathlib import Path

import pytest

from backstory.engine.project import access as use
from backstory.engine.project import search as project_search
from backstory.project import git
from backstory.store.project import state
from backstory.store.project.database import ProjectStore
from tests.fakes.project_tree import Tree, module


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.write("a.py", module("first", "alpha"))
    made.write("sub/b.py", module("second", "beta"))
    return made


def test_of_a_sound_repository_nothing_is_warned_of(tree: Tree) -> None:
    assert tree.index().warnings == ()
    for message in ("First", "Second"):
        tree.write("a.py", module("first", message))
        tree.commit(message)
        assert tree.index().warnings == ()


def test_a_hostile_repository_runs_nothing(tree: Tree, tmp_path: Path) -> None:
    tree.commit("First")
    proof = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {proof}\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    hooks = tree.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {proof}\n", encoding="utf-8")
        (hooks / name).chmod(0o755)
    for name in (
        "core.fsmonitor", "core.pager", "pager.log", "diff.external", "diff.evil.textconv", "diff.evil.command",
        "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "gpg.program", "core.sshCommand",
        "core.askPass",
        "core.editor", "core.alternateRefsCommand", "credential.helper",
    ):  # fmt: skip
        tree.git("config", name, str(program))
    tree.git("config", "log.showSignature", "true")
    tree.git("config", "filter.evil.required", "true")
    tree.git("config", "alias.ls-files", f"!{program}")
    tree.git("config", "alias.rev-parse", f"!{program}")
    tree.git("config", "core.untrackedCache", "true")
    extra = tmp_path / "included"
    extra.write_text(f"[core]\n\tfsmonitor = {program}\n\thooksPath = {hooks}\n", encoding="utf-8")
    tree.git("config", "include.path", str(extra))
    tree.write(".gitattributes", "* filter=evil diff=evil text\n")
    tree.write("a.py", module("first", "changed"))
    proof.unlink(missing_ok=True)
    assert tree.index().indexed == 3
    tree.write("sub/b.py", module("second", "changed too"))
    assert tree.index().indexed == 1
    assert use.refresh(tree.project, ["a.py"]) == {"a.py": "indexed"}
    tree.search("`first` changed", fresh=True)
    git.clean_stats(tree.root)
    assert not proof.exists()


def test_no_commit_yet(tree: Tree) -> None:
    tree.git("add", "a.py")
    assert tree.index().indexed == 2
    head = git.head(tree.root)
    assert head == git.Head(str(tree.root), "main", None)


def test_a_detached_head(tree: Tree) -> None:
    commit = tree.commit("First")
    tree.git("checkout", "-q", "--detach")
    assert git.head(tree.root) == git.Head(str(tree.root), None, commit)
    assert tree.index().indexed == 2


def test_a_worktree_with_a_git_file(tree: Tree, tmp_path: Path) -> None:
    tree.commit("First")
    other = tmp_path / "other"
    tree.git("worktree", "add", "-q", str(other))
    assert (other / ".git").is_file()
    project = use.Project(other.resolve(), tmp_path / "other.db")
    assert use.index(project).indexed == 2
    assert project_search.search(project, "`first`").revision.branch == "other"


def test_submodules_and_nested_work_trees(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    inner = Tree(tmp_path / "x")
    inner.write("inside.py", module("inside", "gamma"))
    inner.commit("Inner")
    tree.git("submodule", "--quiet", "add", str(inner.root), "mod")
    tree.commit("With a submodule")
    tree.git("init", "-q", "nested")
    tree.write("nested/n.py", module("nest", "delta"))
    tree.index()
    assert {"mod/inside.py", "nested/n.py", "a.py"} <= set(tree.paths())
    assert tree.index().read == 0


def test_a_sparse_checkout(tree: Tree) -> None:
    tree.commit("First")
    tree.git("sparse-checkout", "set", "sub")
    tree.index()
    assert "sub/b.py" in tree.paths()


def test_a_project_below_the_top_of_a_work_tree(tree: Tree, tmp_path: Path) -> None:
    tree.commit("First beta")
    project = use.Project(tree.root / "sub", tmp_path / "sub.db")
    use.index(project)
    found = project_search.search(project, "`second` beta")
    assert [file.path for file in found.files] == ["b.py"]
    assert "similar commits" in found.files[0].reason


def test_a_work_tree_that_points_elsewhere_is_not_followed(tree: Tree, tmp_path: Path) -> None:
    tree.commit("First")
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "secret.py").write_text("x = 1\n", encoding="utf-8")
    tree.git("config", "core.worktree", str(outside))
    tree.index()
    assert "a.py" in tree.paths()
    assert "secret.py" not in tree.paths()


def test_a_broken_repository_is_walked_instead(tree: Tree) -> None:
    (tree.root / ".git" / "HEAD").write_text("nonsense", encoding="utf-8")
    assert tree.index().indexed == 2
    (tree.root / ".git" / "HEAD").unlink()
    tree.write("c.py", "x = 1\n")
    assert tree.index().indexed == 1
    assert "c.py" in tree.paths()


def test_history_holds_ancestors_of_head_only(tree: Tree) -> None:
    tree.commit("Make the frobnicator")
    tree.git("checkout", "-q", "-b", "side")
    tree.write("a.py", module("first", "side"))
    tree.commit("Teach the zyzzyva on a side branch")
    tree.git("checkout", "-q", "main")
    tree.index()
    with ProjectStore(str(tree.project.database)) as store:
        assert store.rows("SELECT count(*) FROM commits") == [(1,)]
        assert store.rows("SELECT count(*) FROM commit_fts WHERE commit_fts MATCH 'zyzzyva'") == [(0,)]
        assert store.rows("SELECT count(*) FROM commit_fts WHERE commit_fts MATCH 'frobnicator'") == [(1,)]


def test_rewritten_history_is_read_afresh(tree: Tree) -> None:
    tree.commit("Make the frobnicator")
    tree.index()
    tree.git("commit", "-q", "--amend", "-m", "Make the oscillator")
    tree.index()
    with ProjectStore(str(tree.project.database)) as store:
        assert store.rows("SELECT count(*) FROM commit_fts WHERE commit_fts MATCH 'frobnicator'") == [(0,)]
        assert store.rows("SELECT count(*) FROM commits") == [(1,)]


def test_what_moved_keeps_its_past(tree: Tree) -> None:
    tree.write("old/part.py", module("part", "piece of it"))
    tree.commit("Make the frobnicator")
    tree.index()
    tree.git("mv", "old", "mid")
    tree.commit("Move the part")
    tree.git("mv", "mid", "new")
    tree.write("old/part.py", module("other", "no relation at all, and a longer text than the first one had"))
    tree.commit("Move it again")
    touched = (
        "SELECT commits.id, path FROM commits JOIN commit_files ON commit_id = commits.id WHERE path LIKE '%part.py'"
    )
    expected = [(1, "new/part.py"), (2, "new/part.py"), (3, "new/part.py"), (3, "old/part.py")]
    tree.index()
    with ProjectStore(str(tree.project.database)) as store:
        assert store.rows(f"{touched} ORDER BY 1, 2") == expected
    tree.project.database.unlink()
    tree.index()
    with ProjectStore(str(tree.project.database)) as store:
        assert store.rows(f"{touched} ORDER BY 1, 2") == expected


def test_history_without_moves_where_blobs_are_missing(tree: Tree) -> None:
    tree.commit("Make the frobnicator")
    tree.write("b.py", module("second", "another"))
    (tree.root / "a.py").unlink()
    commit = tree.commit("Replace the first")
    blob = tree.git("rev-parse", f"{commit}:b.py").strip()
    place = tree.root / ".git/objects" / blob[:2] / blob[2:]
    place.unlink()
    assert git.run(tree.root, "log", "--find-renames", "--name-status") is None
    history = git.history(tree.root, 10)
    assert history is not None
    assert [one.message for one in history] == ["Replace the first", "Make the frobnicator"]
    assert set(history[0].paths) == {"a.py", "b.py"}


def test_the_state_of_the_work_tree(tree: Tree) -> None:
    tree.commit("First")
    tree.index()
    assert not tree.search("`first`").revision.dirty
    tree.write("a.py", module("first", "edited"))
    tree.write("new.py", module("newcomer", "epsilon"))
    tree.index()
    assert tree.search("`first`").revision.changed == ("a.py", "new.py")
    tree.git("add", "-A")
    tree.index()
    assert tree.search("`first`").revision.changed == ("a.py", "new.py")
    tree.git("commit", "-q", "-m", "Second")
    assert tree.index().read == 0
    assert not tree.search("`first`").revision.dirty


def test_git_fails_softly(tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tree.commit("First")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git.head(tree.root) is None
    assert tree.index().indexed == 2
    fake = tree.write("git", "#!/bin/sh\ntouch ran\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tree.root))
    assert git.head(tree.root) is None
    assert not (tree.root / "ran").exists()
    monkeypatch.setenv("PATH", ".")
    monkeypatch.chdir(tree.root)
    assert git.head(tree.root) is None


@pytest.mark.parametrize("kept", [False, True], ids=["untracked", "tracked"])
def test_a_repository_without_a_work_tree_inside_of_one_holds_no_source(tree: Tree, *, kept: bool) -> None:
    first = tree.commit("First")
    assert tree.index().files == 2
    tree.git("clone", "-q", "--bare", ".", "copies/mirror.git")
    if kept:
        tree.commit("A mirror")
    tree.write("copies/HEAD", "no repository, but a file of that name\n")
    told = tree.index()
    assert told.excluded["bare repository"] == 1
    assert tree.paths() == ["a.py", "copies/HEAD", "sub/b.py"]
    assert tree.index().excluded["bare repository"] == 1
    with ProjectStore(str(tree.project.database)) as store:
        assert (state.get(store).revision.head == first) is not kept


def test_a_repository_in_a_submodule_holds_no_source_either(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    inner = Tree(tmp_path / "inner")
    inner.write("part.py", module("part", "gamma"))
    inner.commit("Part")
    tree.git("submodule", "--quiet", "add", str(inner.root), "lib")
    tree.git("clone", "-q", "--bare", str(inner.root), "lib/mirror.git")
    assert tree.index().excluded["bare repository"] == 1
    assert tree.paths() == [".gitmodules", "a.py", "lib/part.py", "sub/b.py"]


FILTERS = (
    ("* text=auto eol=crlf\n", ()),
    ("*.py text\n", ("core.autocrlf", "true")),
    ("*.py ident\n", ()),
    ("*.py working-tree-encoding=ISO-8859-1\n", ()),
    ("*.py filter=upper\n", ("filter.upper.smudge", "tr a-z A-Z", "filter.upper.clean", "tr A-Z a-z")),
)


@pytest.mark.parametrize(("attributes", "settings"), FILTERS, ids=["eol", "autocrlf", "ident", "encoding", "filter"])
@pytest.mark.parametrize("modules", [2, 60])
def test_what_git_writes_otherwise_than_it_keeps_it_differs_from_nothing(
    tree: Tree, attributes: str, settings: tuple[str, ...], modules: int
) -> None:
    for name, value in zip(settings[::2], settings[1::2], strict=True):
        tree.git("config", name, value)
    tree.write(".gitattributes", attributes)
    names = [f"m{number}.py" for number in range(modules)]
    for name in names:
        tree.write(name, "# caf\u00e9 $Id$\nvalue = 1\n")
    tree.commit("First")
    for name in names:
        (tree.root / name).unlink()
    tree.git("checkout", "--", ".")
    assert tree.git("status", "--porcelain") == ""
    assert tree.git("hash-object", "--no-filters", "m0.py") != tree.git("rev-parse", "HEAD:m0.py")
    tree.index()
    assert tree.search("`value`").revision.changed == ()
    # An edit of the same size, under the same time, is one all the same.
    edited = tree.root / "m1.py"
    before = edited.stat()
    edited.write_bytes(edited.read_bytes().replace(b"1", b"2"))
    os.utime(edited, ns=(before.st_atime_ns, before.st_mtime_ns))
    tree.index()
    assert tree.search("`value`").revision.changed == ("m1.py",)
    tree.commit("Second")
    tree.index()
    assert tree.search("`value`").revision.changed == ()
    assert tree.index().read == 0


def test_sources_in_folders_that_are_called_like_outputs_are_what_git_tracks(tree: Tree) -> None:
    tree.write("build/builder.py", module("builder", "shards"))
    tree.commit("Build shards")
    tree.write("build/output.py", module("output", "shards"))
    tree.index()
    assert tree.paths() == ["a.py", "build/builder.py", "sub/b.py"]
    tree.git("rm", "-q", "--cached", "build/builder.py")
    tree.index()
    assert tree.paths() == ["a.py", "sub/b.py"]
    tree.git("add", "build/output.py")
    assert use.refresh(tree.project, ["build/output.py", "build/builder.py"]) == {
        "build/output.py": "indexed",
        "build/builder.py": "skipped",
    }


def test_a_folder_that_the_work_tree_around_it_ignores_is_walked(tree: Tree, tmp_path: Path) -> None:
    tree.write(".gitignore", "scratch/\n")
    tree.commit("Ignore scratch")
    tree.write("scratch/one/part.py", module("part", "anchors"))
    tree.write("scratch/one/.gitignore", "out.py\n")
    tree.write("scratch/one/out.py", module("out", "anchors"))
    project = use.Project(tree.root / "scratch/one", tmp_path / "one.db")
    use.index(project)
    assert [file.path for file in project_search.search(project, "anchors").files] == ["part.py"]
    tree.write("scratch/one/more.py", module("more", "anchors"))
    assert use.refresh(project, ["more.py", "out.py"]) == {"more.py": "indexed", "out.py": "skipped"}
