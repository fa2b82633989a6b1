"""What `.ci/install` asks Debian for, with commands of our own on PATH that note how they were called."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / ".ci" / "install"
TOOLS = ("git", "make", "npm", "python3")
BASH = shutil.which("bash")


@pytest.fixture
def bin_(tmp_path: Path) -> Path:
    """A machine whose only command is `apt-get`; it notes what it is asked and who may ask questions."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command(folder, "apt-get", f'echo "${{DEBIAN_FRONTEND:-}}|$*" >> "{tmp_path / "asked"}"')
    return folder


def command(folder: Path, name: str, does: str = "exit 0") -> None:
    (folder / name).write_text(f"#!{BASH}\n{does}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


def asked(bin_: Path) -> list[str]:
    """The calls of the package manager by the script, which has to end well."""
    subprocess.run([str(BASH), str(SCRIPT)], env={"PATH": str(bin_)}, check=True, timeout=60)
    noted = bin_.parent / "asked"
    return noted.read_text(encoding="utf-8").splitlines() if noted.exists() else []


def install(*packages: str) -> list[str]:
    return ["|update -qq", f"noninteractive|install -y -qq --no-install-recommends {' '.join(packages)}"]


def test_a_bare_machine_gets_everything(bin_: Path) -> None:
    assert asked(bin_) == install("git", "make", "nodejs", "npm", "python3-venv")


def test_where_nothing_is_missing_nothing_is_asked_for(bin_: Path) -> None:
    for tool in TOOLS:
        command(bin_, tool)
    assert asked(bin_) == []


@pytest.mark.parametrize(
    ("missing", "packages"),
    [("git", ("git",)), ("make", ("make",)), ("npm", ("nodejs", "npm")), ("python3", ("python3-venv",))],
)
def test_only_what_is_missing_is_asked_for(bin_: Path, missing: str, packages: tuple[str, ...]) -> None:
    for tool in TOOLS:
        if tool != missing:
            command(bin_, tool)
    assert asked(bin_) == install(*packages)


def test_a_python_without_environments_gets_them(bin_: Path) -> None:
    for tool in TOOLS:
        command(bin_, tool, "exit 1" if tool == "python3" else "exit 0")
    assert asked(bin_) == install("python3-venv")


def test_what_cannot_be_installed_ends_the_run(bin_: Path) -> None:
    command(bin_, "apt-get", "exit 100")
    with pytest.raises(subprocess.CalledProcessError):
        asked(bin_)
