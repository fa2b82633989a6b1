"""Installs the Node packages that some tests drive, below `.tools`, one folder each; quick when they are there.

Without npm, or when a package cannot be fetched, it says so and goes on, and the tests concerned are skipped. With
`BACKSTORY_REQUIRE_ALL=1` (as on CI) a missing tool is an error.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent / ".tools"
TABLE: Mapping[str, Mapping[str, str]] = {
    # The others need a newer Node than most machines have: `.tools/node/node_modules/.bin/node`.
    "node": {"node": "24"},
    "pi-1.6": {"@earendil-works/pi-coding-agent": "1.6.0"},
    "pi-0.84": {"@earendil-works/pi-coding-agent": "0.84.3"},
    "typescript": {"typescript": "7.0.2"},
    "dsh": {
        "@deepseek-ai/dsh-session-query-sqlite": "0.1.0-rc.8",
        "@deepseek-ai/dsh-session-persistence-jsonl": "0.1.0-rc.8",
    },
}


def main() -> int:
    """Installs what is missing; the exit code is 1 only where everything is required and something is missing."""
    required = os.environ.get("BACKSTORY_REQUIRE_ALL") == "1"
    missing = [name for name, packages in TABLE.items() if not present(name, packages)]
    if missing and shutil.which("npm") is None:
        print(f"tools: there is no npm here, so tests that need {', '.join(missing)} are skipped")
        return int(required)
    failed = [name for name in missing if not install(name, TABLE[name])]
    print(f"tools: {len(TABLE) - len(failed)} of {len(TABLE)} are in {TOOLS.name}/")
    return int(required and bool(failed))


def present(name: str, packages: Mapping[str, str]) -> bool:
    """Whether exactly these packages were asked for before and npm had finished."""
    folder = TOOLS / name
    try:
        asked = json.loads((folder / "package.json").read_text(encoding="utf-8"))["dependencies"]
    except (OSError, ValueError, KeyError):
        return False
    return asked == dict(packages) and (folder / "node_modules" / ".package-lock.json").exists()


def install(name: str, packages: Mapping[str, str]) -> bool:
    """Installs one row of the table; false, with npm's last words printed, when that fails."""
    folder = TOOLS / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    manifest = {"name": f"backstory-tools-{name}", "private": True, "dependencies": dict(packages)}
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(f"tools: installing {name} ({', '.join(packages)})", flush=True)
    command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel", "error"]
    done = subprocess.run(
        command,
        cwd=folder,
        check=False,
        encoding="utf-8",
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        print(f"tools: {name} could not be installed:\n  " + "\n  ".join(done.stdout.strip().splitlines()[-5:]))
        shutil.rmtree(folder, ignore_errors=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
