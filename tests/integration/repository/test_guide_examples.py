"""Every command that README, quick start and guide show can be run over the samples, and gives something worth seeing.

What the pages leave open is filled in as a reader would: SESSION by one of the samples, ID by what was made before. The
page on exact queries has a store and a test of its own.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from backstory.engine.operations import OPERATIONS
from backstory.surfaces.cli import exit_codes
from tests.fakes.desk import Desk

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ("claude-code", "codex", "gemini", "pi")
SESSION, ENTRY = "019c8b82", "eda767c5"
PAGES = sorted([ROOT / "README.md", ROOT / "docs" / "quick-start.md", *(ROOT / "docs" / "guide").glob("*.md")])
PAGES.remove(ROOT / "docs" / "guide" / "query.md")

LINES = re.compile(r"^(?:    |\$ )?(?:\.venv/bin/)?backstory (?P<rest>\S.*)$", re.MULTILINE)
INLINE = re.compile(r"`backstory (?P<rest>[^`]+)`")
NAMES = {operation.name for operation in OPERATIONS}
# What says that there was nothing to show.
NOTHING = re.compile(r"Nothing|No |Not found|0 requests|no commit")

# What a page says it needs, or leaves open.
NEEDS = {
    "eval retention": "long ones: with 160,000 characters before a request",
    "memory sources": "has nothing to list there until an agent",
    "context artifacts": "The samples have none that large",
    "artifact search": "The samples have none that large",
    "project eval": "needs a Git repository",
    "project watch": "until interrupted",
    "index --root claude-code=/mnt": "A place that they do not know",
    "index --drop-root": "takes such a place back",
    "search --json": "",
    "search after:yesterday": "`yesterday` and `project:.` are for sessions of your own",
    "search project:.": "`yesterday` and `project:.` are for sessions of your own",
    "sessions --project .": "of the project you stand in",
}
FINDS_NOTHING = ("config show --changed", "artifact verify", "forget --missing", "pi uninstall")


@pytest.fixture
def samples(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The samples, indexed; the project of the samples is the working folder."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    roots = [word for name in SAMPLES for word in ("--root", f"{name}=samples/{name}")]
    assert desk.run("index", *roots).code == 0
    shutil.copytree(ROOT / "samples" / "project", tmp_path / "project")
    (tmp_path / "project" / "samples").symlink_to(tmp_path / "samples")
    monkeypatch.chdir(tmp_path / "project")
    desk.run("project", "trust")
    desk.run("plan", SESSION)
    desk.run("plan", SESSION, "--budget", "400")
    desk.run("memory", "add", SESSION, "the build tool is meson")
    return desk


def examples(page: Path) -> list[str]:
    """The commands of a page, without those that only name an operation in a sentence."""
    text = page.read_text(encoding="utf-8")
    found = [one["rest"] for one in LINES.finditer(text)]
    inline = [one["rest"] for one in INLINE.finditer(text) if one["rest"] not in NAMES]
    plain = (re.split(r"  +#|\s+\|\s", one)[0].strip() for one in (*found, *inline))
    return list(dict.fromkeys(one for one in plain if not one.startswith("pi install")))


def made(desk: Desk, command: str) -> list[str]:
    """What an ID may stand for now: the pins or memories in force for the session, else two manifests."""
    kept = {"memory": ("memory", "list", SESSION), "unpin": ("pins", SESSION)}
    listed = kept.get(command.split(maxsplit=1)[0], ("manifest", "list"))
    return [one["id"] for one in desk.run(*listed, "--json").json["items"][:2]]


def filled(command: str, named: list[str]) -> list[str]:
    """The words of an example with everything named that it leaves open."""
    ids = iter(named)
    known = {"SESSION": SESSION, "SESSION…": SESSION, "ENTRY": ENTRY, "WORDS…": "retry", "WORDS": "retry", "…": "why",
             "PATH": ".", "TARGET": "src/harbour/queue.py:1-9", "NAME": "claim", "[PREFIX]": "src", "TEXT": "x",
             "DIR": "elsewhere"}  # fmt: skip
    return [next(ids) if word == "ID" else known.get(word, word) for word in shlex.split(command)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run_on_the_samples_and_show_something(samples: Desk, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    wrong = []
    for command in examples(page):
        needed = next((told for start, told in NEEDS.items() if command.startswith(start)), None)
        if needed is not None:
            assert needed in text, command
            continue
        words = filled(command, made(samples, command) if "ID" in command.split() else [])
        answer = samples.run(*words)
        allowed = {exit_codes.DONE} | ({exit_codes.UNFIT} if words[:2] == ["pi", "doctor"] else set())
        nothing = NOTHING.match(answer.out) and not command.startswith(FINDS_NOTHING)
        if answer.code not in allowed or nothing or not answer.out.strip():
            wrong.append((command, answer.code, answer.err or answer.out))
    assert wrong == []
