"""What somebody new types wrongly, and surroundings that are not as expected: one line says what is wrong."""

import os
import pwd
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from backstory.config import paths
from backstory.errors import UsageError
from tests.fakes.desk import Desk


@pytest.fixture
def shop(desk: Desk) -> Desk:
    desk.pi("p1", ["why did we drop the retry?", "because it looped"])
    desk.run("index")
    return desk


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("search",), "what is missing: QUERY; backstory search --help tells more [USAGE]"),
        (("search", "--limit", "few", "x"), "--limit wants a whole number, not 'few'; "),
        (("search", "--limit=1.5", "x"), "--limit wants a whole number, not '1.5'; "),
        (("search", "x", "--limit"), "--limit wants a value; "),
        (("search", "--budget", "-4", "x"), "--budget must not be negative, as -4 is [INVALID_LIMIT]"),
        (("search", "--sessions", "--entries", "x"), "choose --sessions or --entries [USAGE]"),
        (("sessions", "--json=3"), "--json takes no value; "),
        (("sessions", "p1"), "there is no place for: p1; "),
        (("eval", "retention", "--share", "half"), "--share wants a number, not 'half'; "),
        (("query", "read-event", "p1", "first"), "SEQ wants a whole number, not 'first'; "),
        (("query", "read-event", "p1"), "what is missing: SEQ; "),
        (
            ("query", "list-events", "p1", "--surface", "top"),
            "surface: 'top' is not one of current, shadowed, log-only",
        ),
        (
            ("pin", "p1", "never", "--no-verify"),
            "there is no place for: --no-verify; text with dashes stands behind two",
        ),
        (("memory", "add"), "what is missing: SESSION, TEXT; backstory memory add --help tells more [USAGE]"),
        (("config", "show", "--project", "no-such-folder"), "there is no such folder [USAGE]"),
        (("pi", "install", "--project", "--folder", "x"), "--project and --folder exclude each other [USAGE]"),
        (("completion", "tcsh"), "usage: backstory completion bash|zsh|fish [USAGE]"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_a_wrong_argument_is_told_in_one_line_with_its_code(shop: Desk, words: tuple[str, ...], told: str) -> None:
    answer = shop.run(*words)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err
    [line] = answer.err.splitlines()
    assert line.startswith("backstory: ")
    assert line.endswith("]")


def test_text_with_dashes_is_kept_as_the_complaint_says(shop: Desk) -> None:
    assert "never use --no-verify" in shop.run("pin", "p1", "--", "never", "use", "--no-verify").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("plan", "--help"), "See also: backstory plan diff, backstory plan replay"),
        (("sessions", "--help"), "only sessions of this agent (may be repeated)"),
        (("query", "list-sessions", "--help"), "in Unix milliseconds"),
    ],
    ids=["also", "repeated", "units"],
)
def test_help_says_what_one_would_otherwise_try_out(desk: Desk, words: tuple[str, ...], told: str) -> None:
    answer = desk.run(*words)
    assert answer.code == 0
    assert told in " ".join(answer.out.split())


def test_a_search_among_what_is_kept_says_that_nothing_matches(shop: Desk) -> None:
    shop.run("memory", "add", "p1", "the build tool is mise")
    assert shop.run("memory", "search", "nonesuch").out == "Nothing that is kept holds these words.\n"


def test_an_empty_home_is_that_of_the_account() -> None:
    account = pwd.getpwuid(os.getuid()).pw_dir
    assert paths.user_home({"HOME": ""}) == paths.user_home({}) == account
    assert paths.user_home({"HOME": "/home/ada"}) == "/home/ada"


def test_without_any_home_nothing_is_put_into_the_working_folder(
    shop: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("BACKSTORY_HOME")
    monkeypatch.delenv("XDG_DATA_HOME")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError):
        paths.data_folder({})
    answer = shop.run("sessions")
    assert (answer.code, answer.err) == (2, "backstory: no home folder is known; set HOME [USAGE]\n")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("words", [("sessions",), ("sessions", "--json"), ("memory",), ("--help",)], ids=" ".join)
def test_an_answer_without_room_is_told(shop: Desk, words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "backstory", *words]
        done = subprocess.run(
            command, check=False, env=shop.env(), stdout=full, stderr=subprocess.PIPE, encoding="utf-8"
        )
    assert done.returncode == 6
    assert "make room and try again [DISK_FULL]" in done.stderr


def test_errors_that_nobody_can_be_told_keep_their_code(shop: Desk) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "backstory", "show", "nobody"]
        done = subprocess.run(command, check=False, env=shop.env(), stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("words", [("search", "日本", "retry"), ("show", "日本"), ("memory", "日本"), ("sessions",)])
def test_a_narrow_encoding_ends_no_command(shop: Desk, words: tuple[str, ...], encoding: str) -> None:
    shop.pi("p2", ["日本 é 😀 retry"])
    command = [sys.executable, "-m", "backstory", *words]
    env = {**shop.env(), "PYTHONIOENCODING": encoding, "LC_ALL": "C"}
    done = subprocess.run(command, check=False, env=env, capture_output=True)
    assert done.returncode in {0, 2}
    assert b"Traceback" not in done.stderr


def test_a_reader_that_leaves_early_is_no_accident(shop: Desk) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "backstory", "--help"]
    done = subprocess.run(command, check=False, env=shop.env(), stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_interrupt_is_told_in_one_line(shop: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("def quince(): pass\n", encoding="utf-8")
    index = ["project", "watch", "--root", str(folder), "--trust-once", "--seconds", "60"]
    # Whoever runs the tests in the background of a script ignores interruptions, and what they start does too.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = shop.start(*index, start_new_session=True, preexec_fn=heard)
    derived = shop.data / "derived" / "projects"
    while process.poll() is None and not any(derived.glob("*.db")):
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "backstory: interrupted; what was finished is kept\n"
