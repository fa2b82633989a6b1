"""Processes that die, stores that break, several Pis at once: a session with Backstory survives all of it."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.pi.broken import break_
from tests.pi.driver import PATIENCE, Conversation, Person
from tests.pi.sessions import size, sound, texts
from tests.pi.test_failing_open import talk
from tests.pi.test_planning import manifests, turns

Make = Callable[..., Person]


@contextmanager
def killing(person: Person) -> Iterator[list[int]]:
    """Every process of ours is killed a moment after it came up."""
    killed: list[int] = []
    stop = threading.Event()

    def hunt() -> None:
        while not stop.wait(0.03):
            for process in person.sidecars():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)

    thread = threading.Thread(target=hunt)
    thread.start()
    try:
        yield killed
    finally:
        stop.set()
        thread.join()


def planned_again(person: Person, pi: Conversation, number: int) -> bool:
    """Whether a call is planned again before long; each try is one more turn."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        turns(pi, 1, first=number)
        if size(person.talk.messages()[-1]) < 50_000:
            return True
        number += 1
        time.sleep(1)
    return False


def test_killed_again_and_again_it_comes_back(person: Make) -> None:
    somebody = person(window=16_000)
    with somebody.open() as pi:
        pi.do("set_auto_compaction", enabled=False)
        with killing(somebody) as killed:
            turns(pi, 5)
        assert killed
        assert planned_again(somebody, pi, 5)
        assert "every call is planned" in pi.command("/context status")
    assert all(map(sound, somebody.talk.messages()))
    assert somebody.left() == []


def test_a_process_stopped_in_a_call_is_replaced(person: Make) -> None:
    somebody = person(window=16_000)
    somebody.env["BACKSTORY_PI_DEADLINE_MS"] = "2000"
    somebody.env["BACKSTORY_PI_GRACE_MS"] = "300"
    with somebody.open() as pi:
        pi.do("set_auto_compaction", enabled=False)
        turns(pi, 4)
        [process] = somebody.left(1)
        os.kill(process, signal.SIGSTOP)
        turns(pi, 2, first=4)
        assert sound(somebody.talk.messages()[-1])
        again = planned_again(somebody, pi, 6)
        assert process not in somebody.sidecars()
    assert again


def test_a_person_need_not_wait_for_a_deadline(person: Make) -> None:
    somebody = person()
    somebody.env["BACKSTORY_PI_DEADLINE_MS"] = "50000"
    break_(somebody, "deaf")
    with somebody.open() as pi:
        start = time.monotonic()
        pi.do("prompt", message="hello")
        time.sleep(1)
        pi.send({"type": "abort"})
        pi.wait(lambda message: message.get("type") == "agent_settled")
        assert time.monotonic() - start < 40
    assert somebody.left() == []


def test_when_pi_is_killed_nothing_stays_behind(person: Make) -> None:
    somebody = person()
    with somebody.open() as pi:
        pi.prompt("hello", ["there"])
        somebody.talk.steps[:] = [{"wait": 30, "text": "late"}]
        pi.do("prompt", message="and now?")
        assert somebody.sidecars()
        time.sleep(0.3)
        pi.kill()
        assert somebody.left() == []
    with somebody.open("-c") as pi:
        pi.prompt("again", ["fine"])
        assert texts(somebody.talk.messages()[-1])[0] == "hello"
    assert [row["session"] for row in manifests(somebody)].count("") == 0


def test_two_at_once_in_one_project(person: Make) -> None:
    somebody = person(window=16_000)
    with somebody.open() as one, somebody.open() as other:
        for pi in (one, other):
            pi.do("set_auto_compaction", enabled=False)
        threads = [threading.Thread(target=turns, args=(pi, 6)) for pi in (one, other)]
        somebody.talk.steps[:] = []
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(somebody.left(2)) == 2
    assert all(map(sound, somebody.talk.messages()))
    assert len({row["session"] for row in manifests(somebody)}) == 2
    assert len(somebody.logs()) == 2
    assert somebody.backstory("health").returncode == 0
    trace = somebody.root / "trace.txt"
    assert not trace.exists() or "context" not in trace.read_text(encoding="utf-8")


def ruin(person: Person) -> None:
    """A database that is none."""
    derived = person.root / "data" / "derived"
    derived.mkdir(parents=True)
    (derived / "history.db").write_bytes(os.urandom(64 << 10))


def test_a_ruined_database_changes_nothing(person: Make) -> None:
    somebody, other = person(), person(installed=False)
    ruin(somebody)
    for one in (somebody, other):
        talk(one)
    assert somebody.masked(somebody.talk.messages()) == other.masked(other.talk.messages())
    assert somebody.masked(somebody.entries()) == other.masked(other.entries())
    with somebody.open() as pi:
        assert "database" in pi.command("/context health").lower()


def test_a_full_disk_changes_nothing(person: Make, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    somebody, other = person(), person(installed=False)
    disk = somebody.root / "data"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=False)
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        (disk / "filler").write_bytes(b"x" * (48 << 10))
        for one in (somebody, other):
            talk(one)
        assert somebody.left() == []
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
    assert somebody.masked(somebody.talk.messages()) == other.masked(other.talk.messages())
    assert somebody.masked(somebody.entries()) == other.masked(other.entries())
    assert list(tmp_path.iterdir())


def test_as_a_package_of_pi(person: Make) -> None:
    somebody = person(installed=False)
    package = somebody.root / "package"
    somebody.install("--folder", str(package))
    done = subprocess.run(
        somebody.command("install", str(package)),
        cwd=somebody.work,
        env=somebody.env,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    with somebody.open() as pi:
        pi.prompt("hello", [[("context_history_status", {})], "there"])
        assert "session" in pi.command("/context status")
    assert len(manifests(somebody)) >= 1


def test_installed_twice_it_works_once(person: Make) -> None:
    somebody = person()
    somebody.install("--project")
    with somebody.open("--approve") as pi:
        pi.prompt("hello", ["there"])
        pi.prompt("and now?", ["nothing"])
        assert len(somebody.left(1)) == 1
    assert len(manifests(somebody)) == len(somebody.talk.messages())
