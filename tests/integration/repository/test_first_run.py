"""What a person sees who has just cloned the repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from backstory.engine.operations import OPERATIONS, Operation
from backstory.surfaces.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
CLAUDE = "claude-code/-home-maya-src-harbour"


def run(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, *words]
    return subprocess.run(command, env=env, cwd=ROOT, check=False, encoding="utf-8", capture_output=True)


def test_the_tour_over_the_samples_ends_in_the_answer(tmp_path: Path) -> None:
    demo = tmp_path / "demo"
    done = run("scripts/tour.py", str(demo), home=tmp_path / "home")
    assert done.returncode == 0, done.stderr
    assert "No agent sessions on this machine" in done.stdout
    told = done.stdout[done.stdout.index("$ backstory search --limit 3") :]
    assert "a timeout does not say that nothing happened" in told
    assert (demo / "derived" / "history.db").exists()
    assert not (tmp_path / "home").exists(), "the tour over the samples must leave the person's home alone"


def test_the_tour_prefers_own_sessions_and_leaves_them_as_they_are(tmp_path: Path) -> None:
    projects = tmp_path / ".claude" / "projects"
    shutil.copytree(ROOT / "samples" / CLAUDE, projects / "shop")
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in projects.rglob("*.jsonl")}
    done = run("scripts/tour.py", str(tmp_path / "demo"), home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "No agent sessions" not in done.stdout
    assert "$ backstory search --limit 3 'Commands dead requeue'" in done.stdout
    told = done.stdout[done.stdout.index("$ backstory search --sessions") :]
    assert "Commands dead and requeue  claude-code" in told
    assert not (tmp_path / "demo").exists()
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in projects.rglob("*.jsonl")} == before


def test_samples_hold_what_their_page_promises(tmp_path: Path) -> None:
    roots = [word for name in ("claude-code", "codex", "gemini", "pi") for word in ("--root", f"{name}=samples/{name}")]
    indexed = run("-m", "backstory", "index", *roots, home=tmp_path)
    assert indexed.returncode == 0, indexed.stderr
    assert "damaged" not in indexed.stdout
    shown = run("-m", "backstory", "show", "019c8b82", "--all", home=tmp_path)
    assert "branches end in: " in shown.stdout
    assert "fork of" in run("-m", "backstory", "show", "019cd88e", home=tmp_path).stdout
    secret = run("-m", "backstory", "search", "HARBOUR_SIGNING_SECRET", home=tmp_path)
    assert "[redacted:key]" in secret.stdout
    assert "q7Xv2mK9" not in secret.stdout


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_has_help(operation: Operation, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*operation.name.split(), "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert told.startswith(f"usage: backstory {operation.name}")
    assert "--json" in told


def test_help_lists_every_operation(tmp_path: Path) -> None:
    done = run("-m", "backstory", "--help", home=tmp_path)
    assert done.returncode == 0
    rows = [line.split(maxsplit=1) for line in done.stdout.splitlines() if line.startswith("  ")]
    lines = dict(rows)
    assert len(lines) == len(rows)
    assert set(lines) == {operation.name.split()[0] for operation in OPERATIONS} | {"completion", "--version"}
    for operation in OPERATIONS:
        first, _, second = operation.name.partition(" ")
        assert second in lines[first].replace(",", "").split() if second else operation.summary in lines[first]
