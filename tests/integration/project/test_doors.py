"""Searching a project from outside: trust comes first, failures stay local, and the commands tell them."""

import json
import subprocess
from pathlib import Path

import pytest

from backstory.engine.project import access as use
from backstory.engine.project import search as project_search
from backstory.engine.project import verified
from backstory.errors import (
    InvalidProjectError,
    UntrustedProjectError,
)
from backstory.index import projects
from backstory.store.project import files
from backstory.store.project.database import ProjectStore
from backstory.surfaces.cli.main import main
from tests.fakes.project_tree import Tree


def test_failure_of_the_index_is_local(tree: Tree) -> None:
    tree.project.database.write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    for name in ("-wal", "-shm"):
        Path(str(tree.project.database) + name).unlink(missing_ok=True)
    records, found = project_search.evidence(tree.project, "validate the cursor of a page")
    assert records == ()
    assert found.status == "failed"
    assert found.warnings


def test_trust_comes_first(tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def touched(*_: object, **__: object) -> None:
        raise AssertionError("an untrusted project was touched")

    for module_, name in (
        (subprocess, "Popen"),
        (projects, "synchronise"),
        (use, "ProjectStore"),
        (project_search, "ProjectStore"),
        (verified, "Reader"),
    ):
        monkeypatch.setattr(module_, name, touched)
    home = tmp_path / "home"
    with pytest.raises(UntrustedProjectError):
        use.opened(home, tree.root)
    assert use.status(home, tree.root).trust == "untrusted"
    assert use.opened(home, tree.root, trusted=True).root == tree.root
    use.trust(home, tree.root, trusted=True)
    assert use.opened(home, tree.root).root == tree.root
    use.trust(home, tree.root, trusted=False)
    with pytest.raises(UntrustedProjectError):
        use.opened(home, tree.root)
    assert not use.opened(home, tree.root, trusted=True).database.exists()


def test_some_folders_are_never_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder in (Path("/"), tmp_path, tmp_path / "missing"):
        with pytest.raises(InvalidProjectError):
            use.locate(tmp_path / "data", folder, exact=True)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    with pytest.raises(InvalidProjectError):
        use.locate(tmp_path / "data", link, exact=True)


def test_the_command_line(tree: Tree, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKSTORY_HOME", str(tree.home))
    monkeypatch.chdir(tree.root / "src")
    assert main(["project", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["trust"] == "untrusted"
    assert main(["project", "search", "validate cursor pages"]) != 0
    assert "not trusted" in capsys.readouterr().err
    assert not (tree.home / "derived").exists()
    assert main(["project", "search", "--trust-once", "--json", "validate cursor pages"]) == 0
    capsys.readouterr()
    assert main(["project", "trust"]) == 0
    capsys.readouterr()
    assert main(["project", "search", "--json", "--limit", "3", "--budget", "500", "validate", "cursor", "pages"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["files"][0]["path"] == "src/cursor.py"
    assert {"path", "start_line", "end_line", "symbol", "kind", "sha256", "tokens", "reason"} <= answer["items"][
        0
    ].keys()
    assert answer["revision"]["branch"] == "main"
    for words in (
        ["status"],
        ["index"],
        ["files", "src"],
        ["symbols", "src/cursor.py"],
        ["show", "src/cursor.py:1-2"],
        ["eval"],
    ):
        assert main(["project", *words]) == 0
        assert main(["project", *words, "--json"]) == 0
    assert main(["project", "show", "nothing"]) != 0
    assert main(["project", "search", "--limit", "0", "x y"]) != 0
    assert main(["project", "untrust"]) == 0
    assert not list((tree.home / "derived" / "projects").glob("*.db"))


def test_health_warns_while_a_file_waits(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    use.trust(tree.home, tree.root, trusted=True)
    assert use.unhealthy(tree.home) == []
    project = use.opened(tree.home, tree.root)
    use.index(project)
    assert use.unhealthy(tree.home) == []
    with ProjectStore(str(project.database)) as store, store.writing("test"):
        files.mark_stale(store, ["src/cursor.py"])
    assert use.unhealthy(tree.home) == [f"{tree.root}: 1 files wait to be indexed again"]
    use.index(project)
    assert use.unhealthy(tree.home) == []
    project.database.write_bytes(b"garbage" * 1000)
    assert len(use.unhealthy(tree.home)) == 1
