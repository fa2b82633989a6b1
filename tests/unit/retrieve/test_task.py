"""What a request names: identifiers, files with their lines, phrases and words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.retrieve.task import FileMention, describe, pointing
from backstory.text.accents import stopword


def test_what_a_request_names() -> None:
    task = describe(
        'Fix `Session.send` in src/http/client.py:42 and C:\\app\\main.ts; see "no such column", ERR_TIMEOUT, '
        "ENOENT, --dry-run and parseRequest. Something Else happened, e.g. in React."
    )
    assert task.files == (FileMention("src/http/client.py", 42), FileMention("C:/app/main.ts"))
    assert {"Session.send", "--dry-run", "parseRequest"} <= set(task.symbols)
    assert not {"Something", "Else", "Fix"} & set(task.symbols)
    assert {"ERR_TIMEOUT", "ENOENT"} <= set(task.errors)
    assert task.phrases == ("no such column",)


@pytest.mark.parametrize(
    ("trace", "path", "line"),
    [
        ('  File "/srv/app/views.py", line 17, in get', "/srv/app/views.py", 17),
        ("    at load (/srv/app/src/load.ts:12:5)", "/srv/app/src/load.ts", 12),
        ("    at async run (file:///srv/app/index.mjs:3:1)", "/srv/app/index.mjs", 3),
        ("file:///C:/app/main.ts#L42", "C:/app/main.ts", 42),
        ("\t/srv/app/main.go:33 +0x1d", "/srv/app/main.go", 33),
        ("  --> src/lib.rs:8:13", "src/lib.rs", 8),
        ("\tat com.app.Main.run(Main.java:25)", "Main.java", 25),
        ("app/models/user.rb:9:in `save'", "app/models/user.rb", 9),
        ("Program.cs:line 4", "Program.cs", 4),
        ("at Shop.Cart.Add() in src/Cart.cs:line 64", "src/Cart.cs", 64),
        ("Fatal error: thrown in src/User.php on line 203", "src/User.php", 203),
        ("look at src/cart.py line 7", "src/cart.py", 7),
        ("src/cart.py: 5 failures", "src/cart.py", None),
    ],
)
def test_files_and_lines_are_read_out_of_stack_traces(trace: str, path: str, line: int | None) -> None:
    assert FileMention(path, line) in describe(trace).files


@given(st.text(max_size=300))
def test_any_text_can_be_described(text: str) -> None:
    task = describe(text)
    assert len(task.files) <= 16
    assert len(task.symbols) <= 20
    assert len(task.terms) <= 24
    lowered = [term.lower() for term in task.terms]
    assert len(set(lowered)) == len(lowered)


def test_workflow_words_are_silent_in_two_languages() -> None:
    for word in ("please", "Continue", "perché", "PERCHE", "verifica", "così", "the"):
        assert stopword(word)
    for word in ("screen", "input", "cursor", "schermata"):
        assert not stopword(word)


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("src/a.py", True),
        ("src/a.py:12", True),
        ("show me `src/a.py` and b.py", True),
        ("src/a.py#L3-L9", True),
        ("src/a.py parser", False),
        ("rename src/a.py", False),
        ("parser", False),
        ("src/a.py " * 200, False),
    ],
)
def test_a_request_may_name_files_alone(text: str, alone: bool) -> None:  # noqa: FBT001
    assert pointing(describe(text), text) is alone
