"""Killed, interrupted and doubled indexing: what is left is always the beginning of a clean build, and never lost."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from backstory.index import reconcile
from backstory.sources.discover import Place
from backstory.store.folder import alone
from tests.fakes import logs
from tests.fakes.desk import Desk
from tests.fakes.projection import clean, of_file

WORDS = ("retry", "quince", "parseHTTPRequest", "src/cart.py:12", "修改you", "backoff", "discount", "E0401")


def fill(desk: Desk, sessions: int, entries: int) -> list[Place]:
    """Sessions with forks, twins and damage, so that every part of the index takes part."""
    rng = random.Random(7)
    for number in range(sessions):
        texts = [" ".join(rng.choices(WORDS, k=5)) for _ in range(entries)]
        path = desk.pi(f"s{number}", texts)
        if number % 5 == 0:
            desk.put(path.with_name(f"twin{number}.jsonl"), path.read_bytes() + b'{"torn": \n')
            body = path.read_bytes().split(b"\n", 1)[1]
            fork = logs.line(logs.pi_header(f"f{number}", parent=str(path))) + body
            desk.put(path.with_name(f"f{number}.jsonl"), fork)
    return [Place("pi", str(desk.pi_folder))]


def test_killed_at_any_moment_and_run_again_it_equals_a_clean_build(desk: Desk) -> None:
    places = fill(desk, sessions=12, entries=40)
    wanted = clean(places)
    start = time.monotonic()
    assert desk.spawn("index").code == 0
    whole = time.monotonic() - start
    assert of_file(desk.database) == wanted
    rng = random.Random(11)
    killed = 0
    for _ in range(5):
        shutil.rmtree(desk.data)
        for _ in range(2):
            start = time.monotonic()
            process = desk.start("index")
            try:
                process.wait(rng.uniform(0.15, 1.0) * whole)
                whole = min(whole, time.monotonic() - start)  # the machine was busier before
            except subprocess.TimeoutExpired:
                process.kill()
            process.communicate()
            killed += process.returncode == -signal.SIGKILL
        assert desk.spawn("index").code == 0
        assert of_file(desk.database) == wanted
    assert killed


STOP_AFTER = """
import os, signal, sys
from backstory.store.connection import open_connection
import backstory.store.history as history
class Counting:
    left = int(sys.argv.pop(1))
def trace(cursor, sql, args):
    Counting.left -= 1
    if Counting.left == 0:
        os.kill(os.getpid(), getattr(signal, os.environ["STOP_WITH"]))
    return True
opened = history.open_connection
def open_traced(path, **more):
    connection = opened(path, **more)
    connection.exec_trace = trace
    return connection
history.open_connection = open_traced
from backstory.surfaces.cli.main import main
# A process that was started in the background ignores an interruption, and so do its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""


def stopped_after(desk: Desk, statements: int, sign: str) -> int:
    """The exit code of an index that stops itself with a signal after so many SQL statements."""
    done = subprocess.run(
        [sys.executable, "-c", STOP_AFTER, str(statements), "index"],
        env={**desk.env(), "STOP_WITH": sign}, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    return done.returncode


@pytest.mark.parametrize("statements", [1, 8, 20, 32, 60, 90, 120, 150, 200])
def test_killed_after_any_statement_and_run_again_it_equals_a_clean_build(desk: Desk, statements: int) -> None:
    places = fill(desk, sessions=6, entries=8)
    assert stopped_after(desk, statements, "SIGKILL") == -signal.SIGKILL
    assert desk.run("index").code == 0
    assert of_file(desk.database) == clean(places)


@pytest.mark.parametrize("statements", [20, 90, 150])
def test_interrupted_it_says_130_and_keeps_the_sessions_that_were_read(desk: Desk, statements: int) -> None:
    places = fill(desk, sessions=6, entries=8)
    assert stopped_after(desk, statements, "SIGINT") == 130
    wanted = clean(places)
    kept = of_file(desk.database)["entries"]
    full = {path for path, _ in kept}
    assert full
    assert set(kept) == {place for place in wanted["entries"] if place[0] in full}
    assert desk.run("index").code == 0
    assert of_file(desk.database) == wanted


@pytest.mark.parametrize("count", [2, 4])
def test_several_processes_at_once_index_everything_once(desk: Desk, count: int) -> None:
    places = fill(desk, sessions=12, entries=30)
    running = [desk.start("index") for _ in range(count)]
    ends = [(process.communicate(timeout=60), process.returncode) for process in running]
    assert {code for _, code in ends} == {0}, ends
    assert of_file(desk.database) == clean(places)


def test_processes_that_find_the_file_growing_lose_nothing(desk: Desk) -> None:
    path = desk.pi("s0", ["quince 0"])
    places = [Place("pi", str(desk.pi_folder))]
    running = []
    for number in range(1, 200):
        with path.open("ab") as file:
            file.write(logs.line(logs.pi_entry(number, f"quince {number}"))[: 60 if number % 3 else None])
            file.flush()
            if number % 3:
                file.write(logs.line(logs.pi_entry(number, f"quince {number}"))[60:])
        if number % 60 == 0:
            running.append(desk.start("index"))
    for process in running:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert desk.run("index").code == 0
    assert of_file(desk.database) == clean(places)
    assert len(of_file(desk.database)["entries"]) == 200


def test_a_search_budget_leaves_a_partial_answer_that_later_searches_complete(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconcile, "WHOLE_ENTRIES", 512)
    fill(desk, sessions=3, entries=700)
    first = desk.ask("search", "quince", "--budget", "0")
    assert first["partial"] is True
    assert first["items"]
    for _ in range(40):
        if not desk.ask("search", "quince", "--budget", "0")["partial"]:
            break
    assert desk.ask("search", "quince", "--budget", "0")["partial"] is False
    assert of_file(desk.database) == clean([Place("pi", str(desk.pi_folder))])


def test_a_budget_is_heeded_between_small_sessions_too(desk: Desk) -> None:
    for number in range(9):
        desk.pi(f"p{number}", ["quince"])
    first = desk.ask("search", "quince", "--budget", "0")
    assert (first["partial"], len(first["items"])) == (True, 1)
    for _ in range(8):
        last = desk.ask("search", "quince", "--budget", "0")
    assert (last["partial"], len(last["items"])) == (False, 9)


def test_two_rebuilds_in_a_row_give_the_same(desk: Desk) -> None:
    fill(desk, sessions=4, entries=10)
    desk.ask("index")
    before = of_file(desk.database)
    desk.ask("rebuild")
    assert of_file(desk.database) == before


def test_the_write_ahead_log_is_folded_in_when_the_last_process_leaves(desk: Desk) -> None:
    fill(desk, sessions=4, entries=10)
    assert desk.spawn("index").code == 0
    left = {path.name for path in Path(desk.database).parent.iterdir()}
    assert left == {"history.db"}, os.listdir(desk.database.parent)


def test_two_rebuilds_at_once_leave_one_whole_index(desk: Desk) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("index")
    running = [desk.start("rebuild") for _ in range(3)]
    ended = [(process.communicate(timeout=60)[1], process.returncode) for process in running]
    assert [code for _, code in ended] == [0, 0, 0], ended
    assert sorted(path.name for path in desk.data.iterdir()) == ["derived"]
    assert desk.ask("health")["ok"]
    assert desk.hits("quince")


def test_a_rebuild_that_is_stopped_between_two_indexes_leaves_the_old_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("index")
    before = of_file(desk.database)
    rename = Path.rename

    def stopped(path: Path, target: Path) -> Path:
        if path.name == "derived.new":
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", stopped)
        assert desk.run("rebuild").code == 130
    assert not desk.database.exists()
    assert desk.hits("quince", "--no-sync")
    assert sorted(path.name for path in desk.data.iterdir()) == ["derived"]
    assert of_file(desk.database) == before


@pytest.mark.parametrize("more", [(), ("derived",), ("derived", "derived.dropped")])
def test_what_a_killed_rebuild_left_is_put_right_when_it_is_opened(desk: Desk, more: tuple[str, ...]) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("index")
    (desk.data / "derived").rename(desk.data / "derived.old")
    for name in ("derived.new", *more):
        (desk.data / name).mkdir()
    assert desk.hits("quince", "--no-sync")
    assert not {path.name for path in desk.data.iterdir()} & {"derived.old", "derived.new"}
    desk.ask("rebuild")
    assert sorted(path.name for path in desk.data.iterdir()) == ["derived"]


@pytest.fixture
def linked(desk: Desk, tmp_path: Path) -> Path:
    """A folder elsewhere that holds the index of one session, and to which a link in the data folder leads."""
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("index")
    elsewhere = tmp_path / "disk" / "index"
    elsewhere.parent.mkdir()
    (desk.data / "derived").rename(elsewhere)
    (desk.data / "derived").symlink_to(elsewhere)
    return elsewhere


def test_a_rebuild_leaves_an_index_where_a_link_leads(desk: Desk, linked: Path) -> None:
    for _ in range(2):
        (linked / "old").touch()
        desk.ask("rebuild")
        assert not (linked / "old").exists()
        assert (desk.data / "derived").readlink() == linked
        assert [path.name for path in linked.parent.iterdir()] == ["index"]
        assert [path.name for path in desk.data.iterdir()] == ["derived"]
        assert desk.hits("quince")


@pytest.mark.parametrize("left", [".new", ".dropped", ".old"])
def test_what_a_killed_rebuild_left_where_a_link_leads_goes_too(desk: Desk, linked: Path, left: str) -> None:
    shutil.copytree(linked, linked.with_name(f"index{left}"))
    assert desk.hits("quince", "--no-sync")
    assert [path.name for path in linked.parent.iterdir()] == ["index"]


def test_an_index_that_was_moved_away_where_a_link_leads_is_moved_back(desk: Desk, linked: Path) -> None:
    linked.rename(linked.with_name("index.old"))
    assert desk.hits("quince", "--no-sync")
    assert [path.name for path in linked.parent.iterdir()] == ["index"]


KILLED = """
import os, signal, sys
import backstory.engine.upkeep.rebuild as rebuild
rebuild.swap = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from backstory.surfaces.cli.main import main
main(["rebuild"])
"""


@pytest.mark.parametrize("left", ["derived.new", "derived.dropped", "derived.old"])
@pytest.mark.parametrize(
    "words", [("health",), ("search", "quince", "--no-sync"), ("query", "list-sessions", "--no-sync")]
)
def test_what_a_killed_rebuild_left_beside_a_whole_index_goes_at_the_next_start(
    desk: Desk, left: str, words: tuple[str, ...]
) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("index")
    if left == "derived.new":
        done = subprocess.run([sys.executable, "-c", KILLED], env=desk.env(), check=False, timeout=60)
        assert done.returncode == -signal.SIGKILL
    else:
        shutil.copytree(desk.data / "derived", desk.data / left)
    assert (desk.data / left / "history.db").exists()
    answer = desk.run(*words)
    assert answer.code == 0
    assert ("MB that a stopped rebuild had left were deleted" in " ".join(answer.out.split())) == (words == ("health",))
    assert sorted(path.name for path in desk.data.iterdir()) == ["derived"]
    assert desk.hits("quince", "--no-sync")


def test_what_a_rebuild_makes_that_goes_on_is_left_alone(desk: Desk) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("index")
    (desk.data / "derived.new").mkdir()
    with alone(str(desk.data)):
        assert desk.hits("quince", "--no-sync")
        assert "derived.new" in {path.name for path in desk.data.iterdir()}
    assert desk.hits("quince", "--no-sync")
    assert "derived.new" not in {path.name for path in desk.data.iterdir()}


def test_an_index_that_a_killed_rebuild_had_replaced_is_dropped(desk: Desk) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("index")
    shutil.copytree(desk.data / "derived", desk.data / "derived.old")
    desk.ask("rebuild")
    assert sorted(path.name for path in desk.data.iterdir()) == ["derived"]
    assert desk.hits("quince")
