"""The command line: finds the operation, builds its one parser, runs it, prints the answer, maps errors to codes."""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from typing import Any

import msgspec

from backstory import __version__
from backstory.engine import operations
from backstory.engine.open import open_engine
from backstory.engine.operations import Operation
from backstory.errors import BackstoryError, CancelledError, FullDiskError, UnknownSessionError, UsageError
from backstory.surfaces.cli import exit_codes, quick
from backstory.surfaces.cli.terminal import Terminal
from backstory.surfaces.cli.views import view


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; gives its exit code (see `exit_codes`)."""
    _opened()
    words = [_text(word) for word in (sys.argv[1:] if argv is None else argv)]
    terminal = Terminal(sys.stdout, sys.stderr, os.environ)
    try:
        code = _run(words, terminal)
        sys.stdout.flush()
    except (KeyboardInterrupt, CancelledError):
        terminal.complain("interrupted; what was finished is kept")
        return exit_codes.INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; give Python a sink, so that it does not complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exit_codes.DONE
    except UnknownSessionError as error:
        other = import_module("backstory.surfaces.cli.overview").slipped(words)
        terminal.complain(f"{f'{error}; {other}' if other else error.helpful} [{error.code}]")
        return exit_codes.exit_code(error)
    except BackstoryError as error:
        terminal.complain(f"{error.helpful} [{error.code}]")
        return exit_codes.exit_code(error)
    except OSError as error:
        ours = _surroundings(error)
        if ours is None:
            raise
        terminal.complain(f"{ours.helpful} [{ours.code}]")
        return exit_codes.exit_code(ours)
    return code


def _opened() -> None:
    """Puts a sink where a caller closed a stream, so that nothing fails, and no file of ours takes its number."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as we run


def _surroundings(error: OSError) -> BackstoryError | None:
    """What is wrong around a command: no room for its answer, or a working folder that was deleted."""
    if error.errno == errno.ENOSPC:
        return FullDiskError(f"the answer could not be written: {error.strerror}")
    if error.errno == errno.ENOENT and error.filename is None:
        return UsageError("the working folder does not exist any more")
    return None


def _text(word: str) -> str:
    """An argument as text: bytes that are not UTF-8 become U+FFFD."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _run(words: list[str], terminal: Terminal) -> int:
    if words[:1] in (["--version"], ["-V"]):
        terminal.write(f"backstory {__version__}\n")
        return exit_codes.DONE
    if words[:1] == ["completion"]:
        terminal.write(import_module("backstory.surfaces.cli.completion").script(" ".join(words[1:])))
        return exit_codes.DONE
    if words[:1] == ["help"] and operations.find(words[1:]):
        words = [*words[1:], "--help"]
    found = operations.find(words)
    if found is None:
        code: int = import_module("backstory.surfaces.cli.overview").told(words, terminal)
        return code
    operation, taken = found
    request_type = operations.request_type(operation)
    request, as_json = quick.read(request_type, words[taken:]) or _parsed(operation, request_type, words[taken:])
    return _answer(operation, request, terminal, as_json=as_json)


def _parsed(operation: Operation, request_type: type[Any], words: list[str]) -> tuple[Any, bool]:
    parser = import_module("backstory.surfaces.cli.parser")
    built = parser.build(operation.name, operations.about(operation), request_type)
    given = parser.parse(built, request_type, words)
    return parser.request_of(request_type, given), given.json


def _answer(operation: Operation, request: Any, terminal: Terminal, *, as_json: bool) -> int:
    if getattr(request, "reveal", False) and not terminal.interactive:
        raise UsageError("--reveal shows secrets, and so only works on a terminal")
    handle = operations.handler(operation)
    # Any other command has nothing to keep, or keeps what it did as it goes.
    waiting = import_module("backstory.surfaces.cli.interrupts").patient() if operation.name == "index" else None
    with (
        waiting or nullcontext(lambda: False) as interrupted,
        open_engine(progress=terminal.progress(quiet=as_json), cancelled=interrupted) as engine,
    ):
        answer = handle(engine, request)
        own, hindered = getattr(answer, "problems", ()), engine.hindered
        problems = [*own, *(one for one in engine.problems if one not in own)]
    terminal.clear_progress()
    if as_json:
        terminal.data(msgspec.json.format(msgspec.json.encode(answer), indent=1).decode() + "\n")
    else:
        terminal.page(view(operation.name)(answer, terminal))
    for problem in problems[len(own) if as_json else 0 :][:10]:
        terminal.complain(f"{problem.path}: {problem.reason}")
    return exit_codes.exit_code(hindered) if hindered else exit_codes.answered(operation.name, answer, problems)
