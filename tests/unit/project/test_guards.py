"""What stays out by name and by content, and which folders are projects."""

from pathlib import Path

import pytest

from backstory.errors import InvalidProjectError
from backstory.project import root
from backstory.project.guards import decoded, excluded_path, ignored_folder


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("src/a.py", None),
        ("environment.py", None),
        ("targets/a.py", None),
        ("cabin/b.py", None),
        ("node_modules/a.js", "folder"),
        ("deep/Node_Modules/a.js", "folder"),
        ("x/target/y.rs", "folder"),
        (".git/config", "folder"),
        (".env", "sensitive"),
        ("app/.env.production", "sensitive"),
        ("certs/server.PEM", "sensitive"),
        ("id_ed25519", "sensitive"),
        (".envrc", "sensitive"),
        ("deploy/.pgpass", "sensitive"),
        (".dockercfg", "sensitive"),
        ("credentials", "sensitive"),
        ("config/secrets.yml", "sensitive"),
        ("Cargo.lock", "lock"),
        ("web/package-lock.json", "lock"),
        ("a.min.js", "asset"),
        ("logo.PNG", "asset"),
        ("bundle.js.map", "asset"),
        ("../outside.py", "name"),
        ("/etc/passwd", "name"),
        ("bad\udcff.py", "name"),
        ("x" * 1024, None),
        ("x" * 1025, "name"),
        ("a/b..c/d.py", None),
        ("a/../b.py", "name"),
        ("straße.py", None),
    ],
)
def test_paths_that_say_what_a_file_holds_are_left_out(path: str, reason: str | None) -> None:
    assert excluded_path(path) == reason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("build/builder.go", None),
        ("src/target/mod.rs", None),
        ("bin/tool", None),
        ("bin/tool.exe", "asset"),
        ("build/.env", "sensitive"),
        ("build/vendor/a.go", "folder"),
        ("dist/bundle.js", "folder"),
        ("build/../a.go", "name"),
    ],
)
def test_what_git_tracks_is_no_output_of_tools(path: str, reason: str | None) -> None:
    assert excluded_path(path, tracked=True) == reason
    assert excluded_path(path) is not None


@pytest.mark.parametrize(("name", "ignored"), [("node_modules", True), ("Node_Modules", True), ("modules", False)])
def test_folders_of_dependencies_are_ignored_in_either_case(name: str, ignored: object) -> None:
    assert ignored_folder(name) is ignored


@pytest.mark.parametrize(
    ("data", "text", "reason"),
    [
        (b"", "", None),
        (b"plain\n", "plain\n", None),
        (b"\xef\xbb\xbfwith mark", "with mark", None),
        (b"a\0b", None, "binary"),
        ("utf-16".encode("utf-16"), None, "binary"),
        (b"\x01\x02\x03ab", None, "binary"),
        (b"latin \xe9\n", "latin \ufffd\n", None),
        (b"\xff\xfe\xfd\xfc many", None, "encoding"),
        (b"x" * 9000 + b"\0", "x" * 9000 + "\0", None),
        (b"x" * 8191 + b"\0", None, "binary"),
        (b"x" * 8192 + b"\0", "x" * 8192 + "\0", None),
        (b"\x01" + b"x" * 19, "\x01" + "x" * 19, None),
        (b"\x01" + b"x" * 18, None, "binary"),
        (b"\x07\b\t\n\x0b\f\r", "\x07\b\t\n\x0b\f\r", None),
        (b"\x06" * 7, None, "binary"),
        (b"\x0e" * 7, None, "binary"),
        (b"\xe9 \xe9 ", "\ufffd \ufffd ", None),
        (b"\xe9 \xe9 \xe9 ", None, "encoding"),
        (b"\xe9 \xe9 \xe9 " + b"x" * 594, "\ufffd \ufffd \ufffd " + "x" * 594, None),
        (b"\xe9 \xe9 \xe9 " + b"x" * 593, None, "encoding"),
    ],
)
def test_contents_that_are_no_text_are_left_out(data: bytes, text: str | None, reason: str | None) -> None:
    assert decoded(data) == (text, reason)


def test_the_project_around_a_folder(tmp_path: Path) -> None:
    inner = tmp_path / "repo" / "pkg" / "deep"
    inner.mkdir(parents=True)
    assert root.enclosing(inner) == inner.resolve()
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    assert root.enclosing(inner) == (tmp_path / "repo").resolve()
    trusted = str((tmp_path / "repo" / "pkg").resolve())
    assert str(root.enclosing(inner, {trusted})) == trusted


def test_a_canonical_root_has_no_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert root.canonical(tmp_path / "link") == (tmp_path / "real").resolve()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidProjectError):
        root.canonical(tmp_path / "file")


def test_a_home_below_which_nothing_encloses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").mkdir()
    (tmp_path / "x").mkdir()
    assert root.enclosing(tmp_path / "x") == (tmp_path / "x").resolve()


def test_digests_name_databases() -> None:
    assert root.digest(Path("/a")) == "6a50dc8584134c7de537c0052ff6d236"
    assert root.digest(Path("/a")) != root.digest(Path("/b"))
