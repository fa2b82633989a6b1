"""The scope at the head of a request, and the paths that bear it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backstory.retrieve.project.scope import FILE_BONUS, FOLDER_BONUS, bonus, scoped
from backstory.retrieve.project.words import words
from backstory.retrieve.task import Task
from tests.fakes.stemmer import stem


@pytest.mark.parametrize(
    ("request_", "scope", "rest"),
    [
        ("fix(explain): show the branch", "explain", " show the branch"),
        ("feat(ui, list)!: sort", "ui, list", " sort"),
        ("parser: accept tabs", "parser", " accept tabs"),
        ("cmd/indexer, web: sort", "cmd/indexer, web", " sort"),
        ("**headers:** merge", "headers", "** merge"),
        ("[docs] mend a link", "docs", " mend a link"),
        ("chore: tidy", "", " tidy"),
        ("use std::mem::take in place of a copy", "", "use std::mem::take in place of a copy"),
        ("wait 3 seconds: too long", "", "wait 3 seconds: too long"),
        ("", "", ""),
    ],
)
def test_the_head_of_a_request_is_its_scope(request_: str, scope: str, rest: str) -> None:
    found = scoped(request_)
    assert (found.scope, found.text) == (scope, rest)


def test_paths_that_bear_the_scope_are_preferred() -> None:
    names = scoped("fix(manual-commit, cmd/explain, io): x").names
    assert names == {"manualcommit", "explain"}
    assert bonus("cli/explain.go", names) == FILE_BONUS
    assert bonus("cli/manual_commit/hooks.go", names) == FOLDER_BONUS
    assert bonus("explained/all.go", names) == 0
    assert bonus("explain.go", scoped("explain the lease").names) == 0


@given(st.text(max_size=200) | st.from_regex(r"\A\w{1,9}\([\w /,*-]{1,20}\)!?: .{0,20}", fullmatch=True))
@example("fix(manual-commit, cmd/explain): x")
def test_any_request_has_a_scope_and_a_rest(text: str) -> None:
    found = scoped(text)
    assert text.endswith(found.text)
    assert all(name.isalnum() and name.isascii() for name in found.names)


def test_words_of_a_scope_count_whatever_they_are() -> None:
    found = {word.shown: word.weight for word in words("lease", Task(), stem, "fix-explain")}
    assert found == {"fix": 1, "explain": 1, "lease": 1}
