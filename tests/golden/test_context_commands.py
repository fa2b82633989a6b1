"""What every `/context` command says about one session, word for word: reviewed by eye once, and compared ever after.

`BACKSTORY_WRITE_GOLDEN=1` writes the file anew.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from backstory.engine.host.commands.table import COMMANDS, LATER
from backstory.engine.open import Engine
from backstory.engine.planning import manifests
from backstory.engine.project.access import trust
from backstory.records.budget import Model, Usage
from backstory.records.manifest import Manifest
from backstory.store import manifests as stored
from tests.fakes.host import FakeHost

GOLDEN = Path(__file__).parent / "context" / "commands.txt"
FIXTURES = Path(__file__).parents[1] / "fixtures" / "manifests"
SAMPLES = Path(__file__).parents[2] / "samples"
SESSION = "019cd88e-9f6c-7d3f-8cb3-6fc08c57a222"
LINES = (
    "help",
    "status",
    "adapter",
    "memory add --key retries a failed job goes to dead at once",
    'pin --scope branch "Never bring the retry back"',
    "memory add the test runner is pytest",
    "memory supersede 05 the test runner is pytest with -x",
    "unpin 03 decided otherwise",
    "status",
    "pins",
    "pins all",
    "memory",
    "memory all",
    "memory add the test runner is not pytest",
    "memory expire 01",
    "memory sources",
    "tokens",
    "manifest",
    "explain",
    "included",
    "excluded",
    "excluded all",
    "retrieved",
    "project",
    "rebuild-index",
    "project",
    "privacy",
    "model",
    "config",
    "artifacts",
    "health",
    "storage",
    "history",
    "history search --scope current-session MAX_ATTEMPTS",
    "history read #6",
    "history read f8531dea 2 1",
    "history read src_unknown",
    "history read 99999",
    "pin",
    "pin --colour red text",
    "memory invalidate 07 it is unittest",
    "memory exclude nobody",
    "memory include nobody",
    "manifest nothing",
    "explian",
    *LATER,
)
MASKS = (
    (re.compile(r"src_[\w-]{10,}"), "src_…"),
    (re.compile(r"\d[\d.,]* (?:kB|MB|GB|B)\b"), "N kB"),
    (re.compile(r"[█·]+ +N kB  \w+"), "█··  N kB  table"),
    (re.compile(r"\d+ of \d+ pages free"), "N of M pages free"),
)


class StillEngine(Engine):
    """An engine whose clock stands still and whose ids are counted."""

    count = 0

    def now(self) -> int:
        return 1_773_486_000_000

    def clock(self) -> float:
        return 0.0

    def new_id(self) -> str:
        self.count += 1
        return f"{self.count:02x}".ljust(32, "0")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[FakeHost]:
    """The sample session of Pi in a trusted copy of the sample project, with one answered call of a fixed manifest."""
    project = tmp_path / "harbour"
    shutil.copytree(SAMPLES / "project", project)
    [sample] = (SAMPLES / "pi").rglob(f"*{SESSION}.jsonl")
    text = sample.read_text(encoding="utf-8").replace("/home/maya/src/harbour", str(project))
    (tmp_path / f"2026-03-14T00-00-00-000Z_{SESSION}.jsonl").write_text(text, encoding="utf-8")
    with StillEngine(tmp_path / "home", {"HOME": str(tmp_path)}) as engine:
        trust(engine.home, project, trusted=True, now=0)
        host = FakeHost(engine, tmp_path, session=SESSION, cwd=str(project))
        (tmp_path / "home").mkdir(exist_ok=True)
        settings = '[context]\nplacement = "hybrid"\n[memory]\nresults = 6\nresult = 5\n'
        (tmp_path / "home" / "config.toml").write_text(settings, encoding="utf-8")
        host.leaf = "9a02ff42"
        host.model = Model("anthropic", "claude-sonnet-4-5", 200_000)
        host.command("status")
        made = msgspec.json.decode((FIXTURES / "harbour.json").read_bytes(), type=Manifest)
        made = msgspec.structs.replace(made, project=str(project))
        stored.save(engine.history, made)
        manifests.answered(engine, made.id, Usage(700, 1_600, 0, 50))
        yield host


def test_every_command_says_what_it_said(host: FakeHost, tmp_path: Path) -> None:
    told = []
    for line in LINES:
        said = host.command(line)
        level = "" if said.level == "info" else f"  ({said.level})"
        text = said.text.replace(str(tmp_path), "~")
        for mask, instead in MASKS:
            text = mask.sub(instead, text)
        told.append(f"> /context {line}{level}\n\n{text}\n")
    found = "\n".join(told)
    if os.environ.get("BACKSTORY_WRITE_GOLDEN") == "1":
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8")


def test_every_command_is_in_the_file() -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    assert [one.name for one in COMMANDS if f"> /context {one.name}" not in text] == []
