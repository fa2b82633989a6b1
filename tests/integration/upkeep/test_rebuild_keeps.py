"""What no log could give again survives a rebuild: manifests of planned calls, and what calibration learned."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.engine.open import Engine
from backstory.engine.planning import manifests as planned
from backstory.engine.planning import plan
from backstory.engine.upkeep.rebuild import rebuild
from backstory.records.budget import Usage
from backstory.records.indexing import RebuildRequest
from backstory.records.planning import ManifestRequest, ManifestsRequest, PlanRequest
from backstory.store import manifests
from tests.fakes import logs
from tests.fakes.indexed import indexed


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    logs.write(tmp_path / "logs" / "s.jsonl", logs.pi("s", ["read both files", "I did", "and now?"]))
    with indexed(tmp_path / "home", tmp_path / "logs") as opened:
        yield opened


def test_manifests_and_samples_survive(engine: Engine) -> None:
    made = [plan.plan(engine, PlanRequest(session="s", window=200_000)).manifest for _ in range(3)]
    usage = Usage(input=900, cache_read=50, cache_write=20, output=7)
    assert manifests.answered(engine.history, made[0], usage, "p", 5)
    before = planned.listed(engine, ManifestsRequest())
    rebuild(engine, RebuildRequest())
    assert planned.listed(engine, ManifestsRequest()) == before
    for one in made:
        assert planned.show(engine, ManifestRequest(manifest=one.id)).id == one.id
    assert manifests.get(engine.history, made[0].id).usage == usage  # type: ignore[union-attr]
    assert [sample.input for sample in manifests.samples(engine.history, "p", 9)] == [900]


def test_without_an_index_there_is_nothing_to_carry(engine: Engine) -> None:
    path = Path(engine.history.path)
    engine.close()
    path.write_bytes(b"damaged")
    rebuild(engine, RebuildRequest())
    assert planned.listed(engine, ManifestsRequest()).items == ()
