"""Interrupted before, while or after it answers to that, a command ends with 130 and shows no inside of itself."""

import subprocess
import sys

import pytest

from tests.fakes.desk import Desk

# The interruption comes when a module is looked for, which is in the middle of whatever needs it.
RUN = """
import os, signal, sys, time

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(100):
        pass

def put_away():
    PutAway()
    for _ in range(100):
        time.sleep(0.02)

class PutAway:
    def __del__(self):
        interrupt()

class Finder:
    def find_spec(self, name, *_):
        if name == module:
            way()

way, module = {{"at once": interrupt, "while something is put away": put_away}}["{way}"], "{module}"
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
from backstory.__main__ import command
{more}
command()
"""
MODULES = (
    *("msgspec", "backstory.surfaces.cli.main", "backstory.engine.operations", "backstory.surfaces.cli.views"),
    *("backstory.engine.sessions.browse", "apsw", "backstory.store.history"),
)
# The first interruption is answered, and another one comes while that is said.
TWICE = """
from backstory.surfaces.cli.terminal import Terminal
Terminal.complain = lambda self, text: interrupt()
"""
# It comes so many calls later.
LATER = """
calls = iter(range({calls}))

def called(*_):
    if next(calls, None) is None:
        sys.setprofile(None)
        interrupt()

way = lambda: sys.setprofile(called)
"""


def interrupted(desk: Desk, module: str, way: str, more: str = "") -> subprocess.CompletedProcess[str]:
    run = RUN.format(module=module, way=way, more=more)
    command = [sys.executable, "-c", run, "sessions"]
    return subprocess.run(command, env=desk.env(), capture_output=True, encoding="utf-8", check=False, timeout=60)


@pytest.mark.parametrize("way", ["at once", "while something is put away"])
@pytest.mark.parametrize("module", MODULES)
def test_an_interrupted_start_is_quiet(desk: Desk, module: str, way: str) -> None:
    done = interrupted(desk, module, way)
    assert done.returncode == 130
    assert done.stderr in {"", "backstory: interrupted; what was finished is kept\n"}
    assert done.stdout == ""


@pytest.mark.parametrize("calls", [100, 300, 1_000, 2_000, 3_000])
def test_an_interruption_leaves_no_library_half_loaded(desk: Desk, calls: int) -> None:
    done = interrupted(desk, "msgspec._core", "at once", LATER.format(calls=calls))
    assert (done.returncode, done.stderr) == (130, "")


def test_an_interrupted_answer_to_an_interruption_is_quiet(desk: Desk) -> None:
    done = interrupted(desk, "backstory.store.history", "at once", TWICE)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_without_an_interruption_the_command_answers(desk: Desk) -> None:
    done = interrupted(desk, "no.such.module", "at once")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No sessions." in done.stdout
