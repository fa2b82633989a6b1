"""Whatever becomes of Backstory, Pi goes on as if it had never been there."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.pi.broken import WAYS, break_, write_project
from tests.pi.driver import Person

STEPS: list[Any] = [
    [("read", {"path": "notes.md"}), ("bash", {"command": "echo hello"})],
    [("edit", {"path": "notes.md", "edits": [{"oldText": "beta: two", "newText": "beta: three"}]})],
    "the file says alpha and beta",
]


def talk(person: Person) -> None:
    """Two turns with tools in one session."""
    write_project(person)
    with person.open() as pi:
        pi.prompt("look at the notes", STEPS)
        pi.prompt("and now?", [[("read", {"path": "other.txt"})], "nothing else"])
        assert pi.close() == 0


@pytest.fixture(scope="module")
def known() -> dict[str, Person]:
    """What Pi alone does, by version; it is asked once."""
    return {}


@pytest.fixture
def plain(person: Callable[..., Person], known: dict[str, Person], version: str) -> Person:
    """Somebody without Backstory, after the talk."""
    if version not in known:
        known[version] = person(installed=False)
        talk(known[version])
    return known[version]


@pytest.mark.parametrize("way", WAYS)
def test_a_broken_process_changes_nothing(person: Callable[..., Person], plain: Person, way: str) -> None:
    """Not a byte of what the model gets, nor of the session file."""
    other = person()
    other.env["BACKSTORY_PI_DEADLINE_MS"] = other.env["BACKSTORY_PI_GRACE_MS"] = "300"
    break_(other, way)
    talk(other)
    assert other.masked(other.talk.messages()) == plain.masked(plain.talk.messages())
    assert len(plain.talk.messages()) == 5
    assert other.masked(other.entries()) == plain.masked(plain.entries())
    assert other.left() == []


def test_without_tools_the_whole_request_is_the_same(person: Callable[..., Person], plain: Person) -> None:
    """Also the tools, when ours are not offered."""
    other = person(installed=False)
    other.install("--no-tools")
    break_(other, "exits")
    talk(other)
    assert other.masked(other.talk.requests) == plain.masked(plain.talk.requests)


def test_switched_off_it_does_not_even_start(person: Callable[..., Person], plain: Person) -> None:
    """BACKSTORY_PI=off is as good as uninstalling."""
    other = person()
    other.env["BACKSTORY_PI"] = "off"
    talk(other)
    assert other.masked(other.talk.requests) == plain.masked(plain.talk.requests)
    assert not (other.root / "data").exists() or not list((other.root / "data").iterdir())
