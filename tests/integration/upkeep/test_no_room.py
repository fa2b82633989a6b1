"""No room to write: nothing is half written, and the work goes on once there is room."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.database import ASKED
from tests.fakes.desk import Desk
from tests.fakes.projection import of_file


def limited(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_no_room_in_a_file_is_exit_6_and_nothing_is_half_written(used: Desk) -> None:
    before = of_file(used.database)
    used.pi("big", [f"quince number {number} " + "x" * 400 for number in range(3_000)])
    size = used.database.stat().st_size
    answer = used.spawn("index", preexec_fn=lambda: limited(size + 100_000))
    assert answer.code == 6, answer.err
    assert "DISK_FULL" in answer.err
    assert of_file(used.database) == before
    assert used.ask("health")["ok"]
    assert used.spawn("index").code == 0
    assert len(used.hits("quince", "--limit", "100")) == 100


@pytest.mark.parametrize("command", ["index", "rebuild"])
@pytest.mark.parametrize("size", [0, 1, 4, 8, 16, 32, 64, 128, 200, 256, 300])
def test_no_room_for_a_new_index_is_exit_6_at_any_size(desk: Desk, size: int, command: str) -> None:
    desk.pi("big", [f"quince number {number} " + "x" * 400 for number in range(700)])
    answer = desk.spawn(command, preexec_fn=lambda: limited(size * 1024))
    assert (answer.code, "[DISK_FULL]" in answer.err) == (6, True), answer.err
    assert desk.spawn("index").code == 0
    assert desk.hits("quince")
    assert desk.ask("health")["ok"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system is not permitted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_exit_6_and_the_work_goes_on_once_there_is_room(
    desk: Desk, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKSTORY_HOME", str(small_disk / "data"))
    desk.data = small_disk / "data"
    desk.pi("p1", ASKED)
    desk.ask("index")
    before = of_file(desk.database)
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(b"x" * 4096)
            except OSError:
                break
    desk.pi("p2", [f"quince number {number} " + "y" * 400 for number in range(500)])
    answer = desk.spawn("index")
    assert answer.code == 6, answer.err
    assert desk.spawn("index", "--root", f"pi={desk.home}").code == 6
    assert desk.spawn("search", "retry", "--no-sync").code == 0
    for words, held in (
        (("search", "retry"), "retry"),
        (("query", "list-sessions"), "p1"),
        (("sources",), "1 session"),
    ):
        stale = desk.spawn(*words)
        assert (stale.code, "[DISK_FULL]" in stale.err, held in stale.out) == (6, True, True), (words, stale)
    desk.pi("p1", ASKED).unlink()
    answer = desk.spawn("rebuild")
    assert answer.code == 6, answer.err
    filler.unlink()
    assert of_file(desk.database) == before
    assert desk.spawn("index").code == 0
    assert desk.hits("quince")
    assert desk.ask("health")["ok"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("words", [("sessions",), ("search", "retry", "--json")])
def test_an_answer_that_finds_no_room_is_exit_6(used: Desk, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "backstory", *words]
    env = {**os.environ, "BACKSTORY_HOME": str(used.data)}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, env=env, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 6
    assert b"could not be written" in done.stderr
    assert b"Traceback" not in done.stderr
