"""Every option of every command that takes a number: what makes no sense is refused in one line, and nothing breaks."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.engine import operations
from backstory.surfaces.cli.fields import Field, fields
from tests.fakes.desk import Desk

HUGE = "9" * 24
LARGE = (HUGE, str(2**63), str(2**31))
NEVER = ("x", "", "1.5.2", f"-{HUGE}")
# Numbers that mean something where most options would refuse them.
BELOW_ZERO = ("created_from", "created_to", "seq_from", "seq_to", "time_from", "time_to")
ZERO = (*BELOW_ZERO, "seq", "before", "after", "fixed", "search --budget")
# What a command needs besides the option.
WORDS = {"session": "p1", "query": "retry", "text": "retry", "seq": "0", "artifact": "a1"}


def _numbers() -> Iterator[tuple[str, Field]]:
    for operation in operations.OPERATIONS:
        for field in fields(operations.request_type(operation)):
            if field.plain in {int, float}:
                yield operation.name, field


NUMBERS = [pytest.param(*pair, id=f"{pair[0]} {pair[1].name}") for pair in _numbers()]


@pytest.fixture
def shop(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A session, and a trusted project to stand in."""
    desk.pi("p1", ["why did we drop the retry?", "because it looped"])
    project = tmp_path / "shop"
    project.mkdir()
    subprocess.run(["git", "init", "--quiet", project], check=True)
    monkeypatch.chdir(project)
    assert desk.run("project", "trust").code == 0
    assert desk.run("plan", "p1").code == 0
    return desk


def _line(name: str, number: Field, value: str, manifest: str) -> list[str]:
    known = fields(operations.request_type(next(one for one in operations.OPERATIONS if one.name == name)))
    given = {**WORDS, "manifest": manifest, number.name: value}
    needed = [given[one.name] for one in known if one.positional and one.required]
    words = ["status"] if name == "context" else needed
    return [*name.split(), *([] if number.positional else [f"{number.flag}={value}"]), "--", *words]


def _tried(name: str, number: Field, shop: Desk, value: str) -> int:
    manifest = shop.run("manifest", "list", "--json").json["items"][0]["id"] if name == "plan replay" else ""
    answer = shop.run(*_line(name, number, value, manifest))
    assert answer.code in {0, 2}, (value, answer.err)
    if answer.code:
        assert answer.out == ""
        [told] = answer.err.splitlines()
        assert told.startswith("backstory: ")
        assert told.endswith("]")
    assert "is called" not in answer.err or value in LARGE, "refused for its other words"
    return answer.code


@pytest.mark.parametrize(("name", "number"), NUMBERS)
def test_what_is_no_number_or_makes_no_sense_is_refused(name: str, number: Field, shop: Desk) -> None:
    below = () if number.name in BELOW_ZERO else ("-1",)
    zero = () if {number.name, f"{name} {number.flag}"}.intersection(ZERO) else ("0",)
    fractions = ("nan", "inf") if number.plain is float else ("1.5",)
    for value in (*NEVER, *below, *zero, *fractions):
        assert _tried(name, number, shop, value) == 2, value


@pytest.mark.parametrize(("name", "number"), NUMBERS)
def test_no_number_is_too_large_to_be_answered(name: str, number: Field, shop: Desk) -> None:
    for value in LARGE:
        _tried(name, number, shop, value)
