"""The documentation names everything that can be asked, and its transcripts are what the program prints."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory import errors
from backstory.engine import operations
from backstory.engine.operations import OPERATIONS, Operation
from backstory.errors import BackstoryError
from backstory.records.session import KINDS, SURFACES
from backstory.sources import registry, unsupported
from backstory.surfaces.cli import exit_codes
from backstory.surfaces.cli.parser import build
from backstory.text.query import FILTERS

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands under a second-level heading."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def all_errors(error: type[BackstoryError] = BackstoryError) -> Iterator[type[BackstoryError]]:
    if error.__module__ == errors.__name__:
        yield error
    for below in error.__subclasses__():
        yield from all_errors(below)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_option_of_every_operation_is_documented(operation: Operation) -> None:
    told = section(page("commands.md"), f"backstory {operation.name}")
    assert told, f"docs/reference/commands.md has no section on `backstory {operation.name}`"
    for action in build(operation.name, "", operations.request_type(operation))._actions:  # noqa: SLF001  (there is no public list)
        if action.dest not in {"help", "json"}:
            name = action.option_strings[0] if action.option_strings else action.dest.upper()
            assert f"`{name}" in told, f"`backstory {operation.name}` does not document {name}"
    assert f"`{operation.name} --json`" in page("json.md"), f"docs/reference/json.md lacks {operation.name}"


@pytest.mark.parametrize("error", sorted(set(all_errors()), key=str), ids=str)
def test_every_error_is_documented_and_drawn(error: type[BackstoryError]) -> None:
    told = page("errors.md")
    assert f"`{error.code}`" in told, f"docs/reference/errors.md lacks the code {error.code}"
    assert error.__name__ in told, f"docs/reference/errors.md lacks {error.__name__}"
    assert error.__name__ in (errors.__doc__ or ""), f"{error.__name__} is not in the tree at the top of errors.py"


@pytest.mark.parametrize("name", registry.ROWS)
def test_every_source_is_documented(name: str) -> None:
    location = registry.load(name).location
    told = section(page("sources.md"), location.title)
    assert f"`{name}`" in told, f"docs/reference/sources.md has no section on {name}"
    for suffix in location.suffixes:
        assert f"`{suffix}`" in told
    for base in location.places:
        assert base.variable is None or f"`{base.variable}`" in told, f"{base.variable} of {name} is not documented"
    assert f"`{name}`" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_recognised_agent_is_documented() -> None:
    told = section(page("sources.md"), "Found, not supported yet")
    assert [agent.name for agent in unsupported.AGENTS if f"`{agent.name}`" not in told] == []


def test_the_query_language_is_documented() -> None:
    told = page("filters.md")
    assert [key for key in sorted(FILTERS) if f"`{key}:`" not in told] == []
    assert [kind for kind in KINDS if f"`{kind}`" not in section(told, "Kinds")] == []
    assert [surface for surface in SURFACES if f"`{surface}`" not in section(told, "Surfaces")] == []


def test_every_exit_code_is_documented() -> None:
    told = section(page("commands.md"), "Exit codes")
    codes = {exit_codes.DONE, exit_codes.INTERNAL, exit_codes.SOME_UNREADABLE, exit_codes.INTERRUPTED}
    codes |= {code for _, code in exit_codes.CODES}
    assert [code for code in sorted(codes) if f"| {code} |" not in told] == []


def test_decisions_are_numbered_once_and_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    names = sorted(path.name for path in folder.glob("[0-9]*.md"))
    numbers = [name.split("-")[0] for name in names]
    assert len(numbers) == len(set(numbers)), "two decisions share a number"
    listed = (folder / "README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"({name})" not in listed] == [], "docs/decisions/README.md does not list these"


def test_every_part_of_the_engine_is_on_its_map() -> None:
    _, _, after = (ROOT / "docs/internals/overview.md").read_text(encoding="utf-8").partition("## Inside the engine\n")
    rows = [line.split("|")[1] for line in after.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    parts = {path.stem for path in (ROOT / "src/backstory/engine").iterdir() if not path.name.startswith("_")}
    assert sorted(named) == sorted(parts)


def test_pages_are_current_and_links_resolve() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "reference.py"), "--check"]
    done = subprocess.run(command, cwd=ROOT, check=False, encoding="utf-8", capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_cursor_in_a_transcript_is_cut_whatever_signs_it_holds() -> None:
    code = (
        "from reference_transcript import CURSOR; print(CURSOR.sub(r'\\1…', '--cursor lgHE-a_b-C9 --cursor lgHEab--'))"
    )
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(command, cwd=ROOT / "scripts", check=True, encoding="utf-8", capture_output=True)
    assert done.stdout.split() == ["--cursor", "lgHE…", "--cursor", "lgHE…"]


def test_a_module_that_a_page_names_has_to_exist() -> None:
    named = "`engine.planning.plan.plan_given` `store/search.sql` `privacy/` `engine.gone` `plan.cache.unheard_of`"
    code = f"from reference import ROOT, unknown_modules; print(*unknown_modules(ROOT / 'a.md', {named!r}), sep='\\n')"
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(command, cwd=ROOT / "scripts", check=True, encoding="utf-8", capture_output=True)
    assert re.findall("`(.+)`", done.stdout) == ["engine.gone", "plan.cache.unheard_of"]


def test_a_module_that_another_calls_its_neighbour_has_to_exist() -> None:
    source = '"""Plans. Neighbours: `setup` and `engine.context` before it, `gathering` and `own`."""\nown = 1\n'
    code = (
        "from reference import PACKAGE, unknown_neighbours; "
        f"print(*unknown_neighbours(PACKAGE / 'engine' / 'planning' / 'plan.py', {source!r}), sep='\\n')"
    )
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(command, cwd=ROOT / "scripts", check=True, encoding="utf-8", capture_output=True)
    assert re.findall("`(.+)`", done.stdout) == ["gathering"]
