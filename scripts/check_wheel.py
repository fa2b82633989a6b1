"""Builds the wheel, installs it into an environment of its own, and runs a smoke test in which only the wheel exists.

The test runs from a temporary folder, so `src` cannot be imported by accident. The wheel stays in `dist`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
SOURCES = ("claude-code", "codex", "gemini", "pi")


def main() -> int:
    """Builds, looks into the wheel, installs it, searches with it; a failure ends in an exception or an exit code."""
    wheel = build(ROOT / "dist")
    absent = left_out(wheel)
    if absent:
        sys.exit(f"wheel: {wheel.name} lacks {', '.join(absent)}")
    with tempfile.TemporaryDirectory() as folder:
        smoke(wheel, Path(folder))
    print(f"wheel: dist/{wheel.name} holds everything, installs and searches")
    return 0


def build(folder: Path) -> Path:
    """The freshly built wheel, the only one in `folder`."""
    for old in folder.glob("backstory-*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    return next(folder.glob("backstory-*.whl"))


def left_out(wheel: Path) -> list[str]:
    """Files of the package (modules, statements, migrations, other data) that the wheel does not hold."""
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    source = ROOT / "src"
    files = (path for path in (source / "backstory").rglob("*") if path.is_file() and path.suffix != ".pyc")
    wanted = {path.relative_to(source).as_posix() for path in files}
    return sorted(wanted - held)


def smoke(wheel: Path, folder: Path) -> None:
    """Installs the wheel and asks it the samples' question."""
    place = folder / "venv"
    venv.create(place, with_pip=True)
    python = str(place / ("Scripts" if os.name == "nt" else "bin") / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "BACKSTORY_HOME": str(folder / "data")}
    copied = shutil.copytree(SAMPLES, folder / "samples")
    roots = [word for name in SOURCES for word in ("--root", f"{name}={copied / name}")]
    backstory = [python, "-m", "backstory"]
    subprocess.run([*backstory, "index", "--only-roots", *roots], check=True, env=env, cwd=folder)
    search = [*backstory, "search", "why did we drop the retry", "--json"]
    answer = subprocess.run(search, check=True, env=env, cwd=folder, stdout=subprocess.PIPE)
    first = json.loads(answer.stdout)["items"][0]
    if "retry" not in first["snippet"]:
        sys.exit(f"wheel: the samples' question was answered with {first['snippet']!r}")
    installed = [*backstory, "pi", "install", "--folder", "extension", "--json"]
    subprocess.run(installed, check=True, env=env, cwd=folder, stdout=subprocess.DEVNULL)
    note = json.loads((folder / "extension" / "backstory.json").read_text(encoding="utf-8"))
    if note["python"] != python or not note["tools"]:
        sys.exit(f"wheel: the extension starts {note['python']} and offers {len(note['tools'])} tools")


if __name__ == "__main__":
    sys.exit(main())
