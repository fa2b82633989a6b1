"""Every `/context` command inside the real Pi, in a session whose calls are planned."""

import json
from collections.abc import Callable

from backstory.engine.host.commands.table import COMMANDS, LATER
from tests.pi.driver import Person

Make = Callable[..., Person]
READS = [command.name for command in COMMANDS if command.takes in {"", "[all]", "[ID]", "[all] [ID]"}]


def test_every_command_answers(person: Make) -> None:
    somebody = person()
    with somebody.open() as pi:
        pi.prompt("why does parse_request fail?", [[("bash", {"command": "echo parse_request"})], "it is empty"])
        pi.prompt("then fix it", ["done"])
        told = {line: pi.command(f"/context {line}") for line in (*READS, *LATER)}
        assert [line for line, text in told.items() if not text.strip()] == []
        assert "of" in told["status"]
        assert "tokens" in told["explain"]
        assert "parse_request" in pi.command('/context history search "parse_request"')
        assert "Did you mean /context explain?" in pi.command("/context explian")
        sound = told["health"]
    assert "The index is sound" in sound
    with somebody.logs()[0].open(encoding="utf-8") as log:
        session = json.loads(log.readline())["id"]
    shell = somebody.backstory("context", "status", session)
    assert shell.returncode == 0, shell.stderr
    assert "last call" in shell.stdout
