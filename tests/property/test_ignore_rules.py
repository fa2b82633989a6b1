"""Ignore files outside Git: a walk leaves out what Git itself would, and a hostile rule costs no time."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from backstory.project.walk import matcher, walk

PIECES = ["a", "b", "*", "/", "?", "**/", "/**", "[ab]", "!", ".", "\\*", " "]
# Git documents two stars as special only where they are a whole part of the path, and differs by version elsewhere.
ODD_STARS = re.compile(r"[^/!]\*\*|\*\*[^/]|\*{3}")
rules = st.lists(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6)
    .map("".join)
    .filter(lambda line: ODD_STARS.search(line) is None),
    min_size=1,
    max_size=5,
)
names = st.text("ab.*", min_size=1, max_size=3).filter(lambda name: name.strip(".") != "")
paths = st.lists(st.lists(names, min_size=1, max_size=4), min_size=1, max_size=3)


@given(rules, paths)
@example(["a", "!b"], [["b", "a"]])
@example(["a", "!b/"], [["b", "a", "c"]])
@example(["*", "!b"], [["b", "a"]])
@example(["a/**", "!a/b"], [["a", "b"], ["a", "c", "b"]])
@example(["a/**/", "!b"], [["a", "b"], ["a", "c", "b"]])
@settings(max_examples=150, deadline=None)
def test_a_walk_leaves_out_what_git_would(lines: list[str], files: list[list[str]]) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for parts in files:
            _write(root.joinpath(*parts))
        (root / ".gitignore").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        ours = walk(root, 100, 100).paths
        assert ours == _listed_by_git(root)


@pytest.mark.parametrize(
    "rules",
    [
        b"\xef\xbb\xbf*.txt\nb\n",
        b"*.txt\r\nb\r\n",
        b"a\x0cb\nb\xe2\x80\xa8a.txt\n",
        b"a.txt\rb\n",
        b"\xff*.txt\nb",
        b"",
    ],
)
def test_the_lines_of_an_ignore_file_are_those_that_git_reads(rules: bytes, tmp_path: Path) -> None:
    for name in ("a.txt", "b", "c", "a\x0cb", "b\u2028a.txt", "a"):
        _write(tmp_path / name)
    (tmp_path / ".gitignore").write_bytes(rules)
    ours = walk(tmp_path, 100, 100).paths
    assert ours == _listed_by_git(tmp_path)


def _write(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError:
        return  # a name that is a file in one path and a folder in another


def _listed_by_git(root: Path) -> list[str]:
    git = ("git", "-C", str(root))
    subprocess.run([*git, "init", "--quiet"], check=True)
    command = [*git, "ls-files", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    return sorted(path for path in listed.split("\0") if path)


@pytest.mark.timeout(20)
def test_rules_full_of_stars_end() -> None:
    ignored = matcher(["*a" * 30 + "z", "?*" * 40 + "z", "[a]*" * 30 + "!z"])
    folder = False
    assert ignored("a" * 250, folder) is None
    assert ignored("a" * 250 + "z", folder) is True
