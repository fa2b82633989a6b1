"""`backstory context`: what an agent shows inside, asked in a shell, about any agent's session."""

import pytest

from backstory.engine.host.commands.table import COMMANDS
from tests.fakes.desk import Desk

WRITES = ("pin", "unpin", "memory add", "memory supersede", "memory invalidate", "memory expire")
NEED = ("history search", "history read", "memory exclude", "memory include", *WRITES)


def test_every_command_answers_about_a_session(desk: Desk) -> None:
    desk.pi("p1", ["why does it loop?", "because of the retry"])
    desk.run("plan", "p1")
    for command in COMMANDS:
        if command.name not in NEED:
            answer = desk.run("context", *command.name.split(), "p1")
            assert (answer.code, answer.err) == (0, ""), command.name
            assert answer.out.strip(), command.name


def test_what_is_kept_goes_to_the_ledger_and_never_into_a_log(desk: Desk) -> None:
    desk.claude("c1", ["never bring the retry back", "understood"])
    desk.pi("p1", ["never bring the retry back", "understood"])
    before = desk.snapshot()
    for session in ("c1", "p1"):
        said = desk.ask("context", "pin", session, "--scope", "session", "never", "bring", "it's", "back")
        assert (said["step"], said["data"]["written"]) == ("say", True)
        [item] = desk.ask("pins", session)["items"]
        assert (item["text"], item["id"]) == ("never bring it's back", said["data"]["id"])
        assert desk.run("context", "unpin", session, item["id"][:8], "no", "more").code == 0
        assert desk.ask("pins", session)["items"] == []
    assert desk.snapshot() == before


def test_both_ways_of_asking_give_the_same(desk: Desk) -> None:
    desk.claude("c1", ["hello", "hi"])
    desk.run("memory", "add", "c1", "the build tool is mise")
    assert "the build tool is mise" in desk.run("context", "memory", "c1").out
    listed = desk.run("memory", "list", "c1", "--json").json
    assert desk.ask("context", "memory", "c1")["data"]["ids"] == [item["id"] for item in listed["items"]]


@pytest.mark.parametrize(
    ("held", "told"),
    [(1, "1 entry of current-session matches\n"), (6, "6 entries of current-session match\n"),
     (8, "8 entries of current-session match, the best 6:\n")],
)  # fmt: skip
def test_of_many_matches_it_is_said_how_many_are_shown(desk: Desk, held: int, told: str) -> None:
    desk.pi("p1", [f"the capybara eats {at}" if at < held else f"nothing eats {at}" for at in range(10)])
    found = desk.run("context", "history", "search", "p1", "--scope", "current-session", "capybara").out
    assert found.startswith(told)
    assert found.count("the capybara eats") == min(held, 6)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("context", "explian", "c1"), "did you mean: backstory context explain"),
        (("context", "nonesuch", "c1"), "backstory context help lists them"),
        (("context", "c1", "status"), "the session stands behind the command: backstory context status c1"),
        (("context", "ranking", "c1"), "context ranking comes with a later version"),
        (("context", "unpin", "c1"), "name the pin; usage: backstory context unpin SESSION ID [REASON]"),
        (("context", "status"), "name a session"),
        (("context", "pin", "c1"), "nothing to keep"),
        (("context", "pin", "c1", "--colour", "red", "x"), "no option is called --colour"),
        (("context", "explain", "c1"), "no call of this session has been planned yet"),
        (("context", "status", "c1", "now"), "status takes no 'now'"),
        (("context", "history", "c1", "search", "hello"), "history takes no 'search'; did you mean history search"),
        (("context", "status", "c9"), "no session is called"),
    ],
)
def test_what_makes_no_sense_is_told(desk: Desk, words: tuple[str, ...], told: str) -> None:
    desk.claude("c1", ["hello", "hi"])
    answer = desk.run(*words)
    assert answer.code == 2
    assert told.lower() in answer.err.lower()
    assert "/context" not in answer.err
    assert len(answer.err.splitlines()) == 1


def test_what_was_found_earlier_is_read_as_a_shell_reads_it(desk: Desk) -> None:
    desk.claude("c1", ["why does the quince rot?", "because it is ripe"])
    assert (
        "backstory context history read SESSION NUMBER" in desk.run("context", "history", "search", "c1", "quince").out
    )


def test_help_needs_no_session(desk: Desk) -> None:
    for words in (("context",), ("context", "help")):
        answer = desk.run(*words)
        assert answer.code == 0
        assert all(command.name in answer.out for command in COMMANDS)
    assert desk.run("context", "health").code == 0
