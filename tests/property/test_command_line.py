"""The quick reading of a command line: whatever it understands, the parser understands in the same way."""

from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from backstory.engine import operations
from backstory.engine.operations import OPERATIONS, Operation
from backstory.errors import UsageError
from backstory.surfaces.cli import quick
from backstory.surfaces.cli.fields import fields
from backstory.surfaces.cli.parser import build, parse, request_of

TEXTS = st.sampled_from(["word", "two words", "7", "", "a=b", "é", "-1", "-x", "--", "--no-such", "--json", "-h"])
VALUES = {str: "word", int: "7", float: "0.5"}


@st.composite
def lines(draw: st.DrawFn) -> tuple[Operation, list[str]]:
    """A command with what it wants, and in one line of two with words that may be out of place."""
    operation = draw(st.sampled_from(OPERATIONS))
    known = fields(operations.request_type(operation))
    flags = [field.flag for field in known if not field.positional] or ["--json"]
    flag = st.sampled_from(flags)
    word = st.one_of(TEXTS, flag, st.builds("{}={}".format, flag, TEXTS))
    wanted = [VALUES.get(field.plain, "word") for field in known if field.positional]
    valued = [[field.flag, VALUES[field.plain]] for field in known if not field.positional and field.plain in VALUES]
    given = draw(st.lists(st.sampled_from(valued), max_size=3)) if valued else []
    return operation, [*wanted, *chain.from_iterable(given), *draw(st.just([]) | st.lists(word, max_size=6))]


@given(lines())
def test_it_gives_what_the_parser_gives_or_leaves_it_to_the_parser(line: tuple[Operation, Sequence[str]]) -> None:
    operation, words = line
    request = operations.request_type(operation)
    found = quick.read(request, words)
    event("read" if found is not None else "left to the parser")
    if found is not None:
        parsed = parse(build(operation.name, "", request), request, words)
        assert found == (request_of(request, parsed), parsed.json)


@pytest.mark.parametrize(
    ("name", "words", "meant"),
    [
        ("search", ["--lmit", "5", "retry"], "--limit"),
        ("search", ["retry", "--limits=5"], "--limit"),
        ("search", ["--jsno"], "--json"),
        ("search", ["--no_sync", "retry"], "--no-sync"),
        ("sessions", ["--agents", "pi"], "--agent"),
        ("storage", ["--hepl"], "--help"),
    ],
)
def test_a_slip_of_an_option_is_no_word(name: str, words: list[str], meant: str) -> None:
    found = operations.find([name])
    assert found
    request = operations.request_type(found[0])
    with pytest.raises(UsageError, match=rf"there is no option --\S+; did you mean {meant}\?"):
        parse(build(name, "", request), request, words)


@pytest.mark.parametrize(
    "words", [["--", "--lmit"], ["--retries"], ["--exit"], ["--dry-run"], ["-lmit"], ["--limit", "5", "--", "--limt"]]
)
def test_what_is_no_slip_or_stands_behind_two_dashes_is_a_word(words: list[str]) -> None:
    found = operations.find(["search"])
    assert found
    request = operations.request_type(found[0])
    assert parse(build("search", "", request), request, words).query == words[-1:]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("search", ["why did", "we drop", "--limit", "3", "--exact", "--json"]),
        ("show", ["abc", "--before=2"]),
        ("index", ["--root", "pi=/a", "--root=codex=/b", "--only-roots"]),
    ],
)
def test_usual_command_lines_need_no_parser(name: str, words: list[str]) -> None:
    found = operations.find([name])
    assert found
    assert quick.read(operations.request_type(found[0]), words) is not None
