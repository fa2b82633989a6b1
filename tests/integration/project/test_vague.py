"""Requests that say little: what holds their words, and of that what is being worked on."""

from pathlib import Path

import pytest

from backstory.engine.project import search as project_search
from tests.fakes.project_tree import Tree, module


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.write("src/cursor.py", module("validate_cursor", "pages cursor validation"))
    made.write("src/pages.py", module("next_page", "pages paging cursor"))
    made.write("src/http/retry.py", module("backoff", "retries delays"))
    for number in range(8):
        made.write(f"src/other{number}.py", module(f"other_{number}", f"unrelated matter{number}"))
    made.commit("Everything")
    made.index()
    return made


@pytest.mark.parametrize(
    ("query", "first"),
    [("cursor", "src/cursor.py"), ("more retries", "src/http/retry.py"), ("small fixes", "src/late.py")],
)
def test_a_vague_request_is_answered_by_what_holds_its_words_and_changed_of_late(
    tree: Tree, query: str, first: str
) -> None:
    tree.write("src/early.py", module("early", "small fixes small fixes"))
    tree.commit("Early")
    for number in range(6):
        tree.write("src/late.py", module("late", f"small fixes {number}"))
        tree.commit("Late")
    tree.index()
    found = tree.search(query)
    assert (found.status, found.files[0].path) == ("ranked", first)
    assert project_search.evidence(tree.project, query)[0] == ()


def test_what_the_last_commit_touched_answers_a_vague_request(tree: Tree) -> None:
    for number in range(6):
        tree.write("src/yarn.py", module("yarn", f"small fixes {number}"))
        tree.commit("Yarn")
    tree.write("src/rare.py", module("rare", "nothing"))
    for number in range(6):
        tree.write(f"src/other{number}.py", module(f"other_{number}", f"unrelated matter{number} again"))
        tree.commit("Other")
    tree.write("src/rare.py", module("rare", "small fixes"))
    tree.commit("Rare")
    tree.index()
    assert [file.path for file in tree.search("small fixes").files[:2]] == ["src/rare.py", "src/yarn.py"]
    assert tree.search("small yarn").files[0].path == "src/yarn.py"
