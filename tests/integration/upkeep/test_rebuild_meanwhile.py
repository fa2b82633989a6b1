"""What others do at the worst moment of a rebuild is not lost, and neither is the index of one that is killed."""

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from backstory.config.paths import history_path
from backstory.engine.open import open_engine
from backstory.engine.planning import plan
from backstory.engine.upkeep import rebuild
from backstory.records.planning import PlanRequest
from backstory.store import browse, manifests
from backstory.store.history import open_history
from tests.fakes.desk import Desk


@pytest.fixture
def one(desk: Desk) -> Desk:
    """A machine with an indexed session."""
    desk.pi("p1", ["the quince is ripe", "so pick it"])
    desk.ask("index")
    return desk


@pytest.mark.parametrize("read_only", [False, True])
def test_who_opens_after_a_rebuild_was_killed_between_its_renames_finds_the_old_index(
    one: Desk, *, read_only: bool
) -> None:
    derived = one.data / "derived"
    derived.rename(one.data / "derived.old")
    with closing(open_history(history_path(str(one.data)), read_only=read_only)) as history:
        assert browse.sessions(history) == 1
    assert not (one.data / "derived.old").exists()
    assert len(one.ask("sessions", "--no-sync")["items"]) == 1


def planned(engine: Any) -> str:
    """The id of the manifest of a call that is planned now."""
    return plan.plan(engine, PlanRequest(session="p1", no_sync=True)).manifest.id


def listed(desk: Desk) -> set[str]:
    return {row["id"] for row in desk.run("manifest", "list", "--json").json["items"]}


def test_a_manifest_that_is_saved_just_before_the_swap_is_kept(one: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    swap = rebuild.swap
    with open_engine(one.data, env=one.env()) as engine:
        made.append(planned(engine))

        def saving(home: str, fresh: Path) -> None:
            made.append(planned(engine))
            swap(home, fresh)

        monkeypatch.setattr(rebuild, "swap", saving)
        one.ask("rebuild")
        made.append(planned(engine))
    assert len(set(made)) == 3
    assert listed(one) == set(made)
    assert not list(one.data.glob("derived.*"))


def test_a_manifest_that_is_saved_while_another_index_is_put_in_place_is_kept(
    one: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = manifests.save

    def late(*given: Any) -> None:
        monkeypatch.setattr(manifests, "save", save)
        one.ask("rebuild")
        save(*given)

    with open_engine(one.data, env=one.env()) as engine:
        assert os.path.exists(engine.history.path)
        monkeypatch.setattr(manifests, "save", late)
        made = planned(engine)
    assert listed(one) == {made}
