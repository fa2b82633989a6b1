"""What the start of a command does not load: each of these takes a good part of the time of a search."""

import subprocess
import sys

import pytest

from tests.fakes.desk import Desk

HEAVY = (
    *("argparse", "asyncio", "base64", "dataclasses", "email", "hashlib", "importlib.metadata", "inspect", "locale"),
    *("logging", "pathlib", "pathspec", "shutil", "socket", "subprocess", "tempfile", "threading", "tree_sitter"),
    *("urllib.parse", "zstandard"),
)
OF_PROJECTS = (
    *("backstory.engine.project.access", "backstory.engine.project.search", "backstory.index.projects"),
    *("backstory.project.git", "backstory.retrieve.project.ranking", "statistics", "subprocess"),
)
RUN = """
import sys
before = set(sys.modules)
from backstory.__main__ import main
code = main()
print(code, sorted(set({names}) & set(sys.modules) - before), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [("search", "quince"), ("search", "--json", "a_name role:user", "--limit", "5")])
def test_a_search_that_finds_nothing_new_loads_nothing_heavy(desk: Desk, words: tuple[str, ...]) -> None:
    desk.pi("p1", ["the quince is ripe, says a_name", "and so is the plum"])
    desk.ask("index")
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(names=HEAVY), *words],
        env=desk.env(),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "0 []"


@pytest.mark.parametrize(("more", "loaded"), [((), False), (("--project", "."), True)])
def test_a_plan_loads_what_belongs_to_projects_only_where_it_names_one(
    desk: Desk, more: tuple[str, ...], *, loaded: bool
) -> None:
    desk.pi("p1", ["the quince is ripe", "and so is the plum"])
    words = ("plan", "p1", "--request", "what is ripe?", *more)
    run = RUN.format(names=OF_PROJECTS)
    done = subprocess.run(
        [sys.executable, "-c", run, *words], env=desk.env(), capture_output=True, encoding="utf-8", check=True
    )
    code, _, names = done.stderr.splitlines()[-1].partition(" ")
    assert code == "0"
    assert "backstory.engine.project.search" in names if loaded else names == "[]"


def test_what_is_called_heavy_exists() -> None:
    assert (
        set(HEAVY) - {"pathspec", "tree_sitter", "zstandard", "importlib.metadata", "urllib.parse"}
        <= sys.stdlib_module_names
    )
