"""A small project of pages and requests, as most tests of searching one want it."""

from pathlib import Path

import pytest

from tests.fakes.project_tree import Tree, module


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.write("src/cursor.py", module("validate_cursor", "pages cursor validation"))
    made.write("src/pages.py", module("next_page", "pages paging cursor"))
    made.write("src/http/client.py", module("sendRequest", "requests retries"))
    made.write("src/http/retry.py", module("backoff", "retries delays"))
    made.write("tests/test_cursor.py", module("test_validate_cursor", "pages cursor validation validate_cursor"))
    made.write("docs/cursor.md", "# Cursor validation\n\nHow we validate the cursor of pages. validate_cursor\n")
    for number in range(8):
        made.write(f"src/other{number}.py", module(f"other_{number}", f"unrelated matter{number}"))
    made.commit("Everything")
    made.index()
    return made
