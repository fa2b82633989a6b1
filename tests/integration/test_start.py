"""What the start of a command does not load: each of these takes a good part of the time of a search."""

import subprocess
import sys

import pytest

from tests.integration.conftest import Desk

HEAVY = (
    *("argparse", "asyncio", "base64", "dataclasses", "email", "hashlib", "importlib.metadata", "inspect", "locale"),
    *("logging", "pathlib", "pathspec", "shutil", "socket", "subprocess", "tempfile", "threading", "tree_sitter"),
    *("urllib.parse", "zstandard"),
)
RUN = f"""
import sys
before = set(sys.modules)
from backstory.__main__ import main
code = main()
print(code, sorted(set({HEAVY}) & set(sys.modules) - before), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [("search", "quince"), ("search", "--json", "a_name role:user", "--limit", "5")])
def test_a_search_that_finds_nothing_new_loads_nothing_heavy(desk: Desk, words: tuple[str, ...]) -> None:
    desk.pi("p1", ["the quince is ripe, says a_name", "and so is the plum"])
    desk.ask("index")
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], env=desk.env(), capture_output=True, encoding="utf-8", check=True
    )
    assert done.stderr.splitlines()[-1] == "0 []"


def test_what_is_called_heavy_exists() -> None:
    assert (
        set(HEAVY) - {"pathspec", "tree_sitter", "zstandard", "importlib.metadata", "urllib.parse"}
        <= sys.stdlib_module_names
    )
