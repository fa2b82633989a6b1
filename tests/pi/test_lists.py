"""Whatever happens to a conversation between two calls, the extension asks about the list that Pi is about to send."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pi.driver import NODE, PATIENCE

EXTENSION = Path(__file__).resolve().parents[2] / "src" / "backstory" / "hosts" / "pi"
LISTENER = """#!{python}
import json, sys
known = []
with open({heard!r}, "a", encoding="utf-8") as heard:
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["method"] == "initialize":
            print("\\n", file=heard, flush=True)
            result = {{"protocol": 1, "version": "0", "capabilities": ["again", "instead"]}}
        elif asked["method"] == "context":
            params = asked["params"]
            known = known[: params["keep"]] + params["entries"]
            print(json.dumps({{"list": known, "instead": params.get("instead", False)}}), file=heard, flush=True)
            result = {{"manifest": str(asked["id"])}}
        else:
            continue
        print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": result}}), flush=True)
"""


@pytest.mark.parametrize("seed", range(1, 9))
def test_every_call_is_asked_about_as_it_is(tmp_path: Path, seed: int) -> None:
    if not NODE.exists():
        pytest.skip("Node is not below .tools; `make tools` installs it")
    heard = tmp_path / "heard"
    heard.touch()
    listener = tmp_path / "python"
    listener.write_text(LISTENER.format(python=sys.executable, heard=str(heard)), encoding="utf-8")
    listener.chmod(0o755)
    folder = tmp_path / "extension"
    shutil.copytree(EXTENSION, folder)
    script = Path(__file__).parent / "lists.mjs"
    command: list[str | Path] = [NODE, "--no-warnings", script, folder / "index.ts", heard, str(seed), "60"]
    done = subprocess.run(
        command, env={**os.environ, "BACKSTORY_PYTHON": str(listener)}, capture_output=True, check=False,
        encoding="utf-8", timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 60
    for row in rows:
        first, *more = row["asked"]
        assert (more or [first])[-1]["list"] == row["names"]
        assert not first["instead"]
        assert len(more) <= 1
        assert all(one["instead"] for one in more)
    if seed == 1:
        assert sum(len(row["asked"]) for row in rows) < 75
