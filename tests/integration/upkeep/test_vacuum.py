"""Giving space back: the files get smaller, what they hold stays, and whoever stands in the way is named."""

import os
import random
import time
from pathlib import Path

import apsw
import pytest

from backstory.engine.open import open_engine
from backstory.engine.upkeep import vacuum as upkeep
from backstory.engine.upkeep.vacuum import vacuum
from backstory.errors import FullDiskError
from backstory.records.upkeep import VacuumRequest
from backstory.store import transaction
from backstory.store.project.database import ProjectStore, existing
from tests.fakes.desk import Desk
from tests.fakes.project_tree import Tree
from tests.fakes.projection import of_file

SEARCH = ("search", "emu", "--no-sync", "--json")


@pytest.fixture
def loose(desk: Desk) -> Desk:
    """A machine whose index holds much room and little else: the larger one of two sessions was forgotten."""
    desk.pi("kept", [f"the emu ran {number} miles" for number in range(40)])
    desk.pi("gone", [f"a wombat {number} " + f"dug deep{number} " * 60 for number in range(600)])
    desk.ask("index")
    desk.ask("forget", "gone")
    return desk


def free_pages(desk: Desk) -> int:
    """Pages of the history that hold nothing."""
    return int(desk.run("storage", "--json").json["free_pages"])


def test_the_file_shrinks_and_answers_stay(loose: Desk) -> None:
    held, found = of_file(loose.database), loose.run(*SEARCH).json
    assert free_pages(loose) > 50
    [told] = loose.run("vacuum", "--json").json["files"]
    assert told["path"] == str(loose.database)
    assert told["after"] < told["before"] / 2
    assert (free_pages(loose), loose.run("health", "--json").json["ok"]) == (0, True)
    assert of_file(loose.database) == held
    assert loose.run(*SEARCH).json == found


def test_what_a_rebuild_would_lose_stays(loose: Desk) -> None:
    os.unlink(loose.pi_folder / "kept.jsonl")
    loose.ask("index")
    loose.run("vacuum")
    assert loose.run(*SEARCH).json["items"]


def test_indexes_of_projects_shrink_too_and_a_damaged_one_is_named(loose: Desk, tmp_path: Path) -> None:
    tree = Tree(tmp_path, git=False)
    tree.write("a.py", "def emu(): pass\n")
    assert loose.run("project", "index", "--root", str(tree.root), "--trust-once").code == 0
    damaged = loose.data / "derived" / "projects" / "damaged.db"
    damaged.write_bytes(b"no database at all")
    answer = loose.run("vacuum", "--json").json
    assert len(answer["files"]) == 2
    assert [one["path"] for one in answer["problems"]] == [str(damaged)]
    assert damaged.read_bytes() == b"no database at all"
    assert "damaged.db" in loose.run("vacuum").out


def test_an_index_that_is_deleted_meanwhile_is_not_made_anew(loose: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = loose.data / "derived" / "projects" / "gone.db"
    gone.parent.mkdir(parents=True)
    gone.touch()

    def deleted(path: str) -> ProjectStore | None:
        os.unlink(path)
        return existing(path)

    monkeypatch.setattr(upkeep, "existing", deleted)
    answer = loose.run("vacuum", "--json")
    assert (answer.code, len(answer.json["files"])) == (0, 1)
    assert not gone.exists()


def test_a_writer_in_the_way_is_told(loose: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "WAIT_MS", 50)
    writer = apsw.Connection(str(loose.database))
    writer.execute("BEGIN IMMEDIATE")
    assert loose.run("vacuum").code == 5
    writer.close()
    assert loose.run("vacuum").code == 0


def test_readers_go_on_reading(loose: Desk) -> None:
    reader = apsw.Connection(str(loose.database))
    reader.execute("BEGIN; SELECT count(*) FROM sessions")
    assert loose.run("vacuum").code == 0
    [(count,)] = reader.execute("SELECT count(*) FROM sessions")
    assert count == 1
    reader.close()


def test_killed_at_any_moment_nothing_is_lost(loose: Desk) -> None:
    held = of_file(loose.database)
    rng = random.Random(5)
    for _ in range(6):
        process = loose.start("vacuum")
        time.sleep(rng.uniform(0.05, 0.3))
        process.kill()
        process.communicate()
        assert of_file(loose.database) == held
    assert loose.run("health", "--json").json["ok"] is True


def test_a_disk_without_room_even_to_write_is_called_full(loose: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    held = of_file(loose.database)
    with open_engine(str(loose.data), env=loose.env()) as engine:
        monkeypatch.setattr(engine.history, "full", True)
        with pytest.raises(FullDiskError):
            vacuum(engine, VacuumRequest())
    assert of_file(loose.database) == held
