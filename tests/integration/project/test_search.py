"""Searching live source: which files come first for a request."""

import pytest

from backstory.engine.project import search as project_search
from backstory.store.project.database import ProjectStore
from backstory.store.project.search import ProjectSearch
from tests.fakes.project_tree import Tree, module


def test_words_find_the_code_before_tests_and_documents(tree: Tree) -> None:
    found = tree.search("where do we validate the cursor of a page")
    assert found.status == "ranked"
    assert found.files[0].path == "src/cursor.py"
    item = found.items[0]
    assert (item.path, item.symbol, item.kind) == ("src/cursor.py", "validate_cursor", "function")
    assert item.text.split("\n")[0] == '"""About pages cursor validation."""'
    assert "matches" in item.reason
    asked = tree.search("which test covers validate cursor of pages")
    assert asked.files[0].path in {"tests/test_cursor.py", "src/cursor.py"}


def test_the_capital_that_a_sentence_begins_with_makes_no_name(tree: Tree) -> None:
    tree.write("src/say.py", "class Say:\n    word = 1\n")
    tree.write("src/folder.py", module("gone_folder", "working folder folders gone"))
    tree.index()
    assert tree.search("Say when the working folder is gone").files[0].path == "src/folder.py"
    assert tree.search("what does Say do").files[0].path == "src/say.py"


def test_a_scope_names_its_file_even_by_a_word_of_asking(tree: Tree) -> None:
    tree.write("src/explain.py", module("run", "branches"))
    tree.write("src/branches.py", module("walk", "branches branches walk branches"))
    tree.index()
    assert tree.search("walk the branches").files[0].path == "src/branches.py"
    assert tree.search("fix(explain): walk the branches").files[0].path == "src/explain.py"


def test_words_that_stand_side_by_side_as_in_the_request_count_more(tree: Tree) -> None:
    tree.write("src/apart.py", module("one", "budget lines window tokens rows"))
    tree.write("src/beside.py", module("two", "window budget lines tokens rows"))
    tree.index()
    assert [file.path for file in tree.search("the window of a budget").files[:2]] == ["src/beside.py", "src/apart.py"]
    assert [file.path for file in tree.search("tokens rows").files[:2]] == ["src/apart.py", "src/beside.py"]


def test_the_tokens_of_the_index_do_not_depend_on_what_was_looked_for_before(tree: Tree) -> None:
    with ProjectStore(str(tree.project.database)) as store:
        ids = [number for (number,) in store.rows("SELECT id FROM files")]
        finder = ProjectSearch(store)
        assert finder.places(finder.asked("nowhere"), ids) == ({}, 0)
        found, tokens = finder.places(finder.asked("cursor"), ids)
        assert len(found) > 2
        assert tokens > 100
        assert finder.places(finder.asked("retries"), ids[:2] + ids[-2:])[1] in {0, tokens}
        assert finder.places(finder.asked("nowhere"), ids) == ({}, 0)
        assert ProjectSearch(store).places(finder.asked("cursor"), ids) == (found, tokens)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("src/http/retry.py", "src/http/retry.py"),
        ("http/retry.py:3 please", "src/http/retry.py"),
        ('File "/home/x/build/src/http/client.py", line 5, in sendRequest', "src/http/client.py"),
        ("pages.py", "src/pages.py"),
        ("`next_page`", "src/pages.py"),
        ("send_request", "src/http/client.py"),
        ("SENDREQUEST sendRequest", "src/http/client.py"),
        ("dov'è che validiamo il `validate_cursor`", "src/cursor.py"),
    ],
)
def test_exact_names_come_first(tree: Tree, query: str, first: str) -> None:
    assert tree.search(query).files[0].path == first


@pytest.mark.parametrize("query", ["parse response", "parsing responses", "release the lease", "verbose database"])
def test_words_are_found_whose_stem_has_a_stem_of_its_own(tree: Tree, query: str) -> None:
    tree.write("src/guard.py", module("guard", "parse response release lease verbose database"))
    tree.commit("Release the lease of a verbose database, parse a response")
    tree.index()
    found = tree.search(query).files[0]
    assert found.path == "src/guard.py"
    assert len(found.reason.partition("matches ")[2].partition(";")[0].split(", ")) == 2, found.reason


@pytest.mark.parametrize(
    "query",
    ["please fix it", "continue", "the the the", "", "42", "continua pure con questo", "small changes", "missing"],
)
def test_a_request_that_names_nothing_finds_nothing(tree: Tree, query: str) -> None:
    found = tree.search(query)
    assert (found.status, found.items, found.files) == ("no-query", (), ())


def test_results_are_the_same_each_time(tree: Tree) -> None:
    assert tree.search("cursor validation of pages") == tree.search("cursor validation of pages")


def test_a_bare_path_is_answered_by_that_file_alone(tree: Tree) -> None:
    for asked in ("src/http/client.py", "show src/http/client.py", "client.py:4"):
        found = project_search.search(tree.project, asked)
        assert [file.path for file in found.files] == ["src/http/client.py"], asked
    assert len(project_search.search(tree.project, "src/http/client.py sends pages").files) > 1


def test_commits_that_name_the_same_issue_tell_what_they_touched(tree: Tree) -> None:
    tree.write("src/other3.py", module("other_3", "unrelated matter3") + "# more\n")
    tree.commit("Count matters once, refs #4711")
    found = project_search.search(tree.project, "Closes #4711")
    assert found.files[0].path == "src/other3.py"
    assert "similar commits touched it" in found.files[0].reason
    assert project_search.search(tree.project, "Closes #4712").files == ()


def test_what_changes_along_with_the_best_completes_the_answer(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        tree.write(f"src/ledger{number}.py", module(f"post{number}", "ledger amounts"))
    for number in range(6):
        tree.write("src/ledger8.py", module("post8", f"ledger amounts {number}"))
        tree.write("src/zeta.py", module("zeta", f"ledger {number}"))
        tree.commit(f"Round {number}")
    found = project_search.search(tree.project, "ledger amounts post8")
    reasons = {file.path: file.reason for file in found.files}
    assert "changes along with other results" in reasons["src/zeta.py"]
    monkeypatch.setattr("backstory.retrieve.project.ranking.with_companions", lambda _, scored, **__: scored)
    without = project_search.search(tree.project, "ledger amounts post8")
    paths = [file.path for file in without.files]
    assert paths.index("src/zeta.py") > [file.path for file in found.files].index("src/zeta.py") >= 5
