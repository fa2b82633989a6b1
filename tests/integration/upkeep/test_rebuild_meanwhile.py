"""What others do at the worst moment of a rebuild is not lost, and neither is the index of one that is killed."""

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.config.paths import history_path
from backstory.engine.open import open_engine
from backstory.engine.planning import plan
from backstory.engine.upkeep import rebuild
from backstory.records.budget import Usage
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


@pytest.mark.parametrize("when", ["before", "after", "both"])
def test_what_is_noted_of_a_manifest_just_before_the_swap_or_after_it_is_kept(
    one: Desk, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    swap = rebuild.swap
    usages = {"before": Usage(900, 50, 20, 7), "after": Usage(901, 51, 21, 8)}
    with open_engine(one.data, env=one.env()) as engine:
        made = plan.plan(engine, PlanRequest(session="p1", no_sync=True)).manifest
        other = planned(engine)
        amended = msgspec.structs.replace(made, privacy=msgspec.structs.replace(made.privacy, payloads=3))

        def noting(home: str, fresh: Path) -> None:
            if when != "after":
                manifests.amend(engine.history, amended)
                assert manifests.answered(engine.history, made, usages["before"], "p", 5)
            swap(home, fresh)
            if when != "before":
                with closing(open_history(history_path(home))) as new:
                    manifests.amend(new, amended)
                    manifests.answered(new, made, usages["after"], "p", 5)

        monkeypatch.setattr(rebuild, "swap", noting)
        one.ask("rebuild")
    with closing(open_history(history_path(str(one.data)), read_only=True)) as history:
        kept, untouched = manifests.get(history, made.id), manifests.get(history, other)
        samples = [sample.input for sample in manifests.samples(history, "p", 9)]
    assert kept is not None
    assert untouched is not None
    expected = usages["before" if when == "before" else "after"]
    assert (kept.privacy.payloads, kept.usage, untouched.usage) == (3, expected, None)
    assert samples == [expected.input]


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
