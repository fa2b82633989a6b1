"""What an error advises is true: the commands and options that it names exist, and it stands before the code."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import backstory
from backstory import errors
from backstory.engine import operations
from backstory.engine.operations import OPERATIONS
from backstory.errors import BackstoryError
from backstory.surfaces.cli.fields import fields
from tests.fakes.desk import Desk

SOURCE = Path(backstory.__file__).parent
NAMES = {operation.name for operation in OPERATIONS}
FIRST = {name.split()[0] for name in NAMES}
NAMED = re.compile(r"\bbackstory (?P<first>[a-z-]+)(?: (?P<second>[a-z]+(?:-[a-z]+)*))?(?P<rest>[^;`\"\[]*)")


def all_errors(error: type[BackstoryError] = BackstoryError) -> Iterator[type[BackstoryError]]:
    if error.__module__ == errors.__name__:
        yield error
    for below in error.__subclasses__():
        yield from all_errors(below)


def unknown(text: str) -> list[str]:
    """What a text names behind `backstory` as if it were a command or an option of one, and is none."""
    wrong = []
    for found in NAMED.finditer(text):
        first, second = found["first"], found["second"]
        if first not in FIRST:
            continue
        pair = f"{first} {second}"
        if first not in NAMES and pair not in NAMES:
            wrong.append(pair)
            continue
        named = operations.find(pair.split())
        flags = {field.flag for field in fields(operations.request_type(named[0]))} if named else set()
        wrong += [
            flag for flag in re.findall(r"(?<=\s)--[a-z][a-z-]+", found["rest"]) if flag not in flags | {"--json"}
        ]
    return wrong


@pytest.mark.parametrize("error", sorted(set(all_errors()), key=str), ids=lambda error: error.__name__)
def test_advice_names_what_there_is(error: type[BackstoryError]) -> None:
    assert unknown(error.advice) == []
    assert not error.advice.endswith(".")
    assert "\n" not in error.advice


def test_a_command_that_does_not_exist_would_be_seen() -> None:
    assert unknown("run: backstory memory drop ID") == ["memory drop"]
    assert unknown("backstory artifact verify --mend does it") == ["--mend"]
    assert unknown("backstory artifact verify --repair does it, backstory health tells") == []


def test_commands_that_the_source_speaks_of_exist() -> None:
    found = {path.name: unknown(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("show", "nobody"), "; backstory sessions lists those that are known [SESSION_NOT_FOUND]"),
        (("show", "p"), "; write more of the id, or SOURCE:ID [SESSION_AMBIGUOUS]"),
        (("show", "p1", "--entry", "zz"), "; backstory show p1 lists its entries [EVENT_NOT_FOUND]"),
        (("search", "--cursor", "zz", "ripe"), "; ask again without it [INVALID_CURSOR]"),
        (("project", "status", "--root", "/"), "; stand in another folder, or name one [INVALID_PROJECT]"),
        (("artifact", "show", "zz"), "; backstory context artifacts SESSION lists those of a session [USAGE]"),
        (
            ("manifest", "show", "zz"),
            "no manifest is called 'zz'; backstory manifest list lists those that are kept [USAGE]",
        ),
        (("unpin", "p1", "zz"), "no pin is called 'zz'; the lists of pins and memories begin with their ids [USAGE]"),
        (
            ("memory", "expire", "p1", "zz"),
            "no memory is called 'zz'; the lists of pins and memories begin with their ids [USAGE]",
        ),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_an_error_says_what_helps_before_its_code(desk: Desk, words: tuple[str, ...], told: str) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.pi("p2", ["the quince is not ripe"])
    answer = desk.run(*words)
    assert answer.code == 2
    assert answer.err.endswith(f"{told}\n")
    assert len(answer.err.splitlines()) == 1


def test_a_beginning_of_several_manifests_is_called_that(desk: Desk) -> None:
    desk.pi("p1", ["the quince is ripe"])
    for _ in range(17):  # one more than there are first letters
        assert desk.run("plan", "p1").code == 0
    first = Counter(one["id"][0] for one in desk.run("manifest", "list", "--json").json["items"])
    [(letter, _)] = first.most_common(1)
    told = desk.run("manifest", "show", letter).err
    begun = re.escape(f"more than one manifest begins with {letter!r}: {letter}")
    assert re.search(rf"{begun}[0-9a-f-]+, .*; write more of the id \[NAME_AMBIGUOUS\]$", told)


def test_a_beginning_of_several_ids_lists_them(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.pi("p1", ["the quince is ripe"])
    ids = iter(f"aa{number}" for number in range(9))
    monkeypatch.setattr("backstory.engine.open.Engine.new_id", lambda _: next(ids))
    for claim in ("one thing", "another thing"):
        assert desk.run("memory", "add", "p1", claim).code == 0
    told = desk.run("memory", "expire", "p1", "aa").err
    listed = r"more than one memory begins with 'aa': aa\d, aa\d; write more of the id \[NAME_AMBIGUOUS\]"
    assert re.search(listed, told)
