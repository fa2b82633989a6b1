"""Inside the real Pi: whether a project may be read, and what its settings say, is for Pi to tell, call by call."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pi.driver import PATIENCE, Conversation, Person
from tests.pi.sessions import texts

Make = Callable[..., Person]
QUESTION = "where is reconcile_ledger defined?"


@pytest.fixture
def somebody(person: Make) -> Person:
    """Somebody in a project that Pi asks about, with settings of its own for Backstory."""
    made = person()
    (made.work / ".pi").mkdir()
    (made.work / ".pi" / "settings.json").write_text("{}", encoding="utf-8")
    (made.work / ".backstory").mkdir()
    (made.work / ".backstory" / "config.toml").write_text("[manifests]\nkeep = 77\n", encoding="utf-8")
    source(made.work, "strict_rows")
    return made


def source(work: Path, argument: str) -> None:
    (work / "ledger.py").write_text(f"def reconcile_ledger({argument}):\n    return {argument}\n", encoding="utf-8")


def indexed(pi: Conversation) -> str:
    """What is told of the project once its index was made."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        told = pi.command("/context project")
        if "1 declaration" in told:
            return told
        time.sleep(0.2)
    raise AssertionError(told)


def test_a_trusted_project_is_quoted_and_its_settings_hold(somebody: Person) -> None:
    with somebody.open("--approve") as pi:
        pi.prompt("hello", ["there"])
        assert "trusted" in indexed(pi)
        pi.prompt(QUESTION, ["here"])
        assert "77" in pi.command("/context config")
    assert any("reconcile_ledger(strict_rows)" in text for text in texts(somebody.talk.messages()[-1]))


def test_a_project_that_pi_does_not_trust_is_not_looked_at(somebody: Person) -> None:
    with somebody.open("--approve") as pi:
        pi.prompt("hello", ["there"])
        indexed(pi)
    with somebody.open("-c", "--no-approve") as pi:
        pi.prompt(QUESTION, ["who knows"])
        assert "no: nothing of it is read" in pi.command("/context project")
        assert "77" not in pi.command("/context config")
    assert not any("strict_rows" in text for text in texts(somebody.talk.messages()[-1]))
    told = somebody.backstory("project", "status", "--root", str(somebody.work)).stdout
    assert "untrusted" in told
    assert "made for an agent that trusts it" in told


def test_what_a_command_of_the_model_changed_is_read_again(somebody: Person) -> None:
    with somebody.open("--approve") as pi:
        pi.prompt("hello", ["there"])
        indexed(pi)
        change = "sed -i s/strict_rows/lenient_$((40+2))/g ledger.py"
        pi.prompt("make it lenient", [[("bash", {"command": change})], "done"])
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            pi.prompt(QUESTION, ["here"])
            if any("reconcile_ledger(lenient_42)" in text for text in texts(somebody.talk.messages()[-1])):
                return
    raise AssertionError(texts(somebody.talk.messages()[-1]))
