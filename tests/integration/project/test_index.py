"""Indexing a project: what is read, what is not, and what a change costs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backstory.engine.project import access as use
from backstory.errors import CancelledError, InvalidProjectError
from backstory.index import project_named, projects
from backstory.index.project_job import LEASE
from backstory.index.version import SOURCE
from backstory.project import discover
from backstory.project.discover import Discovery, ProjectLimits
from backstory.project.reading import Reader, Stat, UnreadableFile
from backstory.store.project import contents, lease, state
from backstory.store.project.database import ProjectStore
from tests.fakes.project_tree import Tree, module


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    for number in range(12):
        made.write(f"src/area{number}.py", module(f"do_{number}", f"topic{number} widget"))
    made.write("README.md", "# Title\n\nwidgets everywhere\n")
    made.write(".gitignore", "ignored/\n*.log\n")
    made.write("ignored/a.py", "x = 1\n")
    made.commit("First widgets")
    return made


def test_a_second_pass_reads_nothing(tree: Tree) -> None:
    first = tree.index()
    assert (first.indexed, first.read) == (14, 14)
    second = tree.index()
    assert (second.read, second.indexed, second.removed, second.unchanged) == (0, 0, 0, 14)


def test_files_that_are_left_out_do_not_count_as_unchanged(tree: Tree) -> None:
    tree.write("src/keys.py", 'AWS = "AKIAQYLPMN5HHHFPZAM2"\n')
    tree.write("data.bin", "a\0b")
    tree.commit("Keep a key")
    told = [tree.index()]
    tree.write("src/area3.py", module("do_3", "something else entirely"))
    told += [tree.index(), tree.index()]
    tree.commit("Say something else")
    told.append(tree.index())
    assert told[0].excluded.keys() == {"binary", "sensitive"}
    assert [(one.files, one.indexed, one.unchanged) for one in told] == [
        (14, 14, 0),
        (14, 1, 13),
        (14, 0, 14),
        (14, 0, 14),
    ]


def test_only_changed_and_new_files_are_read(tree: Tree) -> None:
    tree.index()
    tree.write("src/area3.py", module("do_3", "something else entirely"))
    tree.write("src/fresh.py", module("fresh", "novelty"))
    (tree.root / "src/area4.py").unlink()
    report = tree.index()
    assert (report.read, report.indexed, report.removed) == (2, 2, 1)
    assert "src/area4.py" not in tree.paths()


def test_a_moved_head_reads_nothing_when_files_stay(tree: Tree) -> None:
    tree.index()
    tree.write("src/area1.py", module("do_1", "changed"))
    tree.index()
    tree.commit("Second")
    assert tree.index().read == 0


def test_files_rewritten_by_a_checkout_with_the_same_blobs_are_not_read(tree: Tree) -> None:
    tree.index()
    shutil.rmtree(tree.root / "src")
    tree.git("checkout", "-q", "--", ".")
    report = tree.index()
    assert (report.read, report.removed) == (0, 0)
    tree.git("checkout", "-q", "-b", "other")
    tree.write("src/area0.py", module("do_0", "branch"))
    tree.commit("On a branch")
    tree.git("checkout", "-q", "main")
    assert tree.index().indexed <= 1


@pytest.mark.parametrize(
    ("reason", "told"), [("link", {"link": 1}), ("unreadable", {"unreadable": 1}), ("missing", {})]
)
def test_a_file_that_turns_into_something_else_before_it_is_read_is_left_out_and_counted(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, reason: str, told: dict[str, int]
) -> None:
    tree.index()
    tree.write("src/area3.py", "x = 1\n")
    read = Reader.read

    def turned(self: Reader, path: str) -> tuple[bytes, Stat]:
        if path == "src/area3.py":
            raise UnreadableFile(reason)
        return read(self, path)

    monkeypatch.setattr(Reader, "read", turned)
    assert tree.index().excluded == told
    assert "src/area3.py" not in tree.paths()


def test_excluded_files_are_looked_at_once(tree: Tree) -> None:
    tree.write("bin.dat", b"\0\1\2" * 100)
    tree.write("big.txt", "x" * 600_000)
    tree.write("keys.py", 'AWS = "AKIAQYLPMN5HHHFPZAM2"\n')
    tree.write("wide.txt", "text".encode("utf-16"))
    report = tree.index()
    assert report.excluded["binary"] == 2
    assert report.excluded["oversized"] == 1
    assert report.excluded["sensitive"] == 1
    assert tree.index().read == 0


def test_names_that_must_not_be_read(tree: Tree) -> None:
    tree.index()
    before = tree.paths()
    for path in (".env", "server.pem", "node_modules/a.js", "Cargo.lock", "logo.png", "a.min.js", ".npmrc", "id_rsa"):
        tree.write(path, "content\n")
    tree.write("read.py", "content\n")
    tree.git("add", "-A", "-f")
    tree.index()
    assert set(tree.paths()) - set(before) == {"ignored/a.py", "read.py"}


def test_links_are_not_followed(tree: Tree, tmp_path: Path) -> None:
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "secret.py").write_text("def outside_secret(): pass\n", encoding="utf-8")
    (tree.root / "link.py").symlink_to(secret / "secret.py")
    (tree.root / "folder").symlink_to(secret)
    tree.index()
    assert "src/area1.py" in tree.paths()
    assert "link.py" not in tree.paths()
    assert not any("secret" in path for path in tree.paths())


def test_a_folder_that_becomes_a_link_is_forgotten(tree: Tree, tmp_path: Path) -> None:
    tree.index()
    assert any(path.startswith("src/") for path in tree.paths())
    outside = tmp_path / "outside"
    shutil.move(tree.root / "src", outside)
    (tree.root / "src").symlink_to(outside)
    found = [file.path for file in tree.search("`do_3` topic3 widget").files]
    assert not [path for path in (*found, *tree.paths()) if path.startswith("src/")]


@pytest.mark.parametrize("late", [False, True], ids=["before its files are listed", "after that"])
def test_a_project_that_goes_while_it_is_looked_at_is_not_forgotten(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, late: bool
) -> None:
    tree.index()
    before = tree.paths()
    listing = discover.discover

    def going(root: Path, *rest: Any) -> Discovery:
        found = listing(root, *rest) if late else None
        root.rename(tmp_path / "elsewhere")
        return found or listing(root, *rest)

    monkeypatch.setattr(projects, "discover", going)
    with pytest.raises(InvalidProjectError):
        tree.index(force=True)
    assert tree.paths() == before


def test_names_that_are_text_are_indexed_however_strange(tree: Tree) -> None:
    tree.write('odd "name"\n.py', module("odd", "oddity"))
    tree.write("ünïcode.py", module("accent", "accents"))
    (tree.root / os.fsdecode(b"bad\xff.py")).write_bytes(b"x = 1\n")
    report = tree.index()
    assert {'odd "name"\n.py', "ünïcode.py"} <= set(tree.paths())
    assert report.excluded["name"] == 1


def test_names_that_differ_by_case_only(tree: Tree) -> None:
    tree.write("src/Case.py", module("upper", "alpha"))
    tree.write("src/case.py", module("lower", "beta"))
    if len(list((tree.root / "src").glob("[Cc]ase.py"))) < 2:
        pytest.skip("this file system folds case")
    tree.index()
    assert {"src/Case.py", "src/case.py"} <= set(tree.paths())


def test_bounds_are_kept_and_told(tree: Tree) -> None:
    small = use.Project(tree.root, tree.project.database, ProjectLimits(files=5), tree.project.now)
    report = use.index(small)
    assert (report.files, report.truncated) == (5, True)
    tiny = use.Project(tree.root, tree.project.database, ProjectLimits(total_bytes=300), tree.project.now)
    assert use.index(tiny).truncated


def test_a_held_lease_keeps_others_out(tree: Tree) -> None:
    tree.index()
    with ProjectStore(str(tree.project.database)) as store:
        held = lease.acquire(store, LEASE, "somebody", tree.time)
        assert held is not None
        assert tree.index().warnings == ("another process is indexing this project",)
        tree.time += lease.INDEX_LEASE_MS + 1
        assert tree.index().warnings == ()
        assert lease.renew(store, held, tree.time) is None


def test_leases_are_fenced(tree: Tree) -> None:
    term = lease.INDEX_LEASE_MS
    with ProjectStore(str(tree.project.database)) as store:
        first = lease.acquire(store, "x", "a", 1000)
        assert first is not None
        assert lease.acquire(store, "x", "b", 1000 + term - 1) is None
        second = lease.acquire(store, "x", "b", 1000 + term)
        assert second is not None
        assert second.fencing == first.fencing + 1
        lease.release(store, first)
        assert lease.acquire(store, "x", "c", 1001 + term) is None
        renewed = lease.renew(store, second, 1500 + term)
        assert renewed is not None
        assert renewed.expires_at == 1500 + 2 * term
        lease.release(store, renewed)
        assert lease.acquire(store, "x", "c", 1501 + term) is not None


def test_a_cancelled_pass_keeps_what_is_done_and_gives_the_lease_back(tree: Tree) -> None:
    with pytest.raises(CancelledError):
        use.index(tree.project, cancelled=lambda: True)
    assert tree.index().indexed == 14


def test_named_files_are_refreshed_alone(tree: Tree) -> None:
    tree.index()
    tree.write("src/area2.py", module("renamed", "quokka"))
    tree.write("src/new.py", module("brand_new", "wombat"))
    tree.write("ignored/b.py", module("hidden", "numbat"))
    (tree.root / "src/area5.py").unlink()
    outcome = use.refresh(tree.project, ["src/area2.py", "src/new.py", "ignored/b.py", "src/area5.py", "../x.py"])
    assert outcome == {
        "src/area2.py": "indexed",
        "src/new.py": "indexed",
        "ignored/b.py": "skipped",
        "src/area5.py": "removed",
        "../x.py": "skipped",
    }


def test_what_differs_from_the_last_commit_is_known_of_files_that_are_refreshed_alone(tree: Tree) -> None:
    def known() -> tuple[tuple[str, ...], list[str]]:
        with ProjectStore(str(tree.project.database)) as store:
            modified = [row[0] for row in contents.files(store, "", 1000) if row[5]]
            return state.get(store).revision.changed, modified

    tree.index()
    before = (tree.root / "src/area2.py").read_bytes()
    path = tree.write("src/area2.py", module("renamed", "quokka"))
    for _ in range(2):  # the second time it holds what is indexed already
        use.refresh(tree.project, ["src/area2.py"])
        assert known() == (("src/area2.py",), ["src/area2.py"])
    tree.write("src/new.py", module("brand_new", "wombat"))
    use.refresh(tree.project, ["src/new.py"])
    assert known() == (("src/area2.py", "src/new.py"), ["src/area2.py", "src/new.py"])
    path.write_bytes(before)
    (tree.root / "src/new.py").unlink()
    use.refresh(tree.project, ["src/area2.py", "src/new.py"])
    tree.index()
    assert known() == ((), [])


def test_a_repository_of_longer_ids_tells_what_differs(tmp_path: Path) -> None:
    tree = Tree(tmp_path, git=False)
    tree.git("init", "-q", "--object-format=sha256")
    for number in range(9):
        tree.write(f"m{number}.py", module(f"f{number}", "quokka"))
    tree.commit("First")
    tree.index()
    with ProjectStore(str(tree.project.database)) as store:
        assert state.get(store).revision.changed == ()
    tree.write("m1.py", module("f1", "wombat"))
    tree.index()
    with ProjectStore(str(tree.project.database)) as store:
        assert state.get(store).revision.changed == ("m1.py",)
    (tree.root / "m2.py").touch()
    use.refresh(tree.project, ["m1.py", "m2.py"])
    with ProjectStore(str(tree.project.database)) as store:
        assert state.get(store).revision.changed == ("m1.py",)


def test_an_incremental_index_answers_like_a_new_one(tree: Tree) -> None:
    tree.index()
    tree.write("src/area7.py", module("other", "topic7 gadget widget"))
    (tree.root / "src/area8.py").unlink()
    tree.commit("Replace the gadget of topic7")
    tree.index()
    before = tree.search("where is the topic7 gadget done")
    tree.project.database.unlink()
    for name in ("-wal", "-shm"):
        Path(str(tree.project.database) + name).unlink(missing_ok=True)
    tree.index()
    assert tree.search("where is the topic7 gadget done") == before


def test_outside_git_ignore_files_are_honoured(tmp_path: Path) -> None:
    tree = Tree(tmp_path, git=False)
    tree.write("a.py", "x = 1\n")
    tree.write(".gitignore", "*.log\n/only_top\nsub/deep/\n[bad\n")
    tree.write("b.log", "no\n")
    tree.write("only_top/x.py", "x = 1\n")
    tree.write("sub/only_top/x.py", "x = 1\n")
    tree.write("sub/deep/x.py", "x = 1\n")
    tree.write("sub/.gitignore", "!keep.log\nlocal.py\n")
    tree.write("sub/keep.log", "kept\n")
    tree.write("sub/local.py", "x = 1\n")
    tree.index()
    assert tree.paths() == [".gitignore", "a.py", "sub/.gitignore", "sub/keep.log", "sub/only_top/x.py"]
    assert tree.index().read == 0


def test_a_hundred_thousand_ignored_files_cost_nothing(tmp_path: Path) -> None:
    tree = Tree(tmp_path, git=False)
    tree.write(".gitignore", "#\n" * 4000 + "junk/\n")
    tree.write("a.py", "x = 1\n")
    (tree.root / "junk").mkdir()
    for number in range(2000):
        (tree.root / "junk" / f"{number}.py").touch()
    assert tree.index().files == 2


def test_other_rules_read_every_file_again_once(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.index()
    monkeypatch.setattr(projects, "SOURCE", SOURCE + 1)
    assert tree.index().indexed == 14
    assert tree.index().read == 0


def test_other_rules_judge_every_name_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.index()
    monkeypatch.setattr(projects, "SOURCE", SOURCE + 1)
    monkeypatch.setattr(discover, "excluded_path", lambda path, **_: "sensitive" if path.endswith("3.py") else None)
    assert tree.index().excluded == {"sensitive": 1}
    assert "src/area3.py" not in tree.paths()


def test_rules_are_kept_where_only_named_files_are_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.index()
    tree.write("src/area3.py", module("do_3", "something else entirely"))
    with ProjectStore(str(tree.project.database)) as store:
        project_named.refresh(tree.project.job(store), ["src/area3.py"], owner="a")
    assert tree.index().read == 0
    monkeypatch.setattr(projects, "SOURCE", SOURCE + 1)
    with ProjectStore(str(tree.project.database)) as store:
        project_named.refresh(tree.project.job(store), ["src/area3.py"], owner="a")
    assert tree.index().indexed == 14


def test_a_pass_that_was_stopped_is_made_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.index()
    monkeypatch.setattr(projects, "SOURCE", SOURCE + 1)
    with ProjectStore(str(tree.project.database)) as store, pytest.raises(CancelledError):
        projects.synchronise(tree.project.job(store, cancelled=lambda: True), owner="a")
    assert tree.index().indexed == 14


def test_a_process_that_ended_holds_no_lease(tree: Tree) -> None:
    tree.index()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    holder = lease.owner().replace(f"/{os.getpid()}/", f"/{ended.pid}/")
    assert holder != lease.owner()
    with ProjectStore(str(tree.project.database)) as store:
        held = lease.acquire(store, LEASE, holder, tree.time)
        assert held is not None
    tree.write("src/area3.py", module("do_3", "something else entirely"))
    assert tree.index().indexed == 1
    with ProjectStore(str(tree.project.database)) as store:
        assert lease.renew(store, held, tree.time) is None


@pytest.mark.parametrize("holder", ["a", "elsewhere/1/x", "", "///", "this process"])
def test_any_other_holder_keeps_it(tree: Tree, holder: str) -> None:
    tree.index()
    holder = lease.owner() if holder == "this process" else holder
    with ProjectStore(str(tree.project.database)) as store:
        assert lease.acquire(store, LEASE, holder, tree.time)
    assert tree.index().warnings == ("another process is indexing this project",)


@pytest.mark.parametrize("small", [1_500, 0])
def test_of_equal_files_the_first_paths_are_found_whichever_came_first(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr("backstory.retrieve.project.query.SMALL_PROJECT", small)
    for step in reversed(range(3)):
        for number in range(step * 100, step * 100 + 100):
            tree.write(f"src/handler/h{number:03d}.py", module(f"h{number:03d}", "gadgets"))
            tree.write(f"src/broker/b{number:03d}.py", f"# {number}\n")
        tree.index()
    led = [[file.path for file in tree.search(request).files] for request in ("gadgets", "broker")]
    tree.project.database.unlink()
    tree.index()
    assert [[file.path for file in tree.search(request).files] for request in ("gadgets", "broker")] == led
    assert [found[0] for found in led] == ["src/handler/h000.py", "src/broker/b000.py"]
