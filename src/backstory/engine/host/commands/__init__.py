"""The `/context` commands of a host, the same ones as `backstory context` on the command line.

A command answers with a step: mostly a text for a person, for a change to a host's own log the entries to append.
Neighbours: `line` reads what was typed, `table` names the commands, the other modules answer them.
"""

from collections.abc import Callable

from backstory.engine.host.commands.about import About, told
from backstory.engine.host.commands.line import TypedWord, words
from backstory.engine.host.commands.table import LATER, Command, find, misplaced, nearest
from backstory.engine.host.hosted import encodable
from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.errors import BackstoryError, UnknownSessionError, UsageError
from backstory.records.host import HostCall, Say, Step

Handler = Callable[[About, list[TypedWord]], Step]


def run(engine: Engine, call: HostCall, line: str) -> Step:
    """Answer what was typed behind `/context`; nothing typed there raises."""
    return answer(engine, call, words(encodable(line)))


def answer(engine: Engine, call: HostCall, typed: list[TypedWord]) -> Step:
    """Answer a command that was read already."""
    if not typed:
        typed = words("status")
    names = [word.value for word in typed]
    found = find(names)
    if found is None:
        return _unknown(names[0])
    command, taken = found
    try:
        return carried_out(engine, call, command, typed[taken:])
    except UnknownSessionError:
        return told(["Nothing of this session is on disk yet; ask again after the first answer."], level="warning")
    except BackstoryError as error:
        helped = command.takes and error.code == "USAGE"
        lines = [_sentence(str(error)), *([f"  {error.advice or f'usage: {command.form}'}"] if helped else [])]
        return told(lines, {"errorCode": error.code}, "error")


def carried_out(engine: Engine, call: HostCall, command: Command, given: list[TypedWord]) -> Step:
    """Carry a command out with the words behind its name; raises BackstoryError where it cannot be."""
    if told_of := misplaced(command, [word.value for word in given]):
        raise UsageError(told_of)
    handler: Handler = load(f"engine.host.commands.{command.handler}")
    return handler(About(engine, call), given)


def _unknown(name: str) -> Say:
    if name.lower() in LATER:
        return told([f"/context {name.lower()} comes with a later version of Backstory."])
    near = nearest(name)
    hint = f"Did you mean /context {near}? " if near else ""
    text = f"There is no /context {name[:40]}. {hint}/context help lists the commands."
    return told([text], {"errorCode": "USAGE"}, "error")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
