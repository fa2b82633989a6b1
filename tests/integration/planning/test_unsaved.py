"""A manifest that is not kept on disk, for whatever reason, is there for as long as the process, and calls learn."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.engine.host.host import Host
from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import manifests, plan
from backstory.engine.planning.call import Terms
from backstory.errors import FullDiskError
from backstory.records.budget import Model, Usage
from backstory.records.config import Config, ManifestOptions
from backstory.records.host import HostCall
from backstory.records.manifest import Manifest
from backstory.records.planning import ManifestRequest, ManifestsRequest, PlanRequest
from backstory.records.protocol import Answered, ContextRequest
from backstory.records.settings import Loaded
from tests.fakes.indexed import indexed
from tests.fakes.pi_log import SESSION, PiLog

COUNTED = Usage(16_000)
ROWS = "SELECT (SELECT count(*) FROM manifests), (SELECT count(*) FROM samples)"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    log = PiLog()
    for number in range(30):
        log.turn(number)
    log.say("user", {"type": "text", "text": "where is handlerNumber3 called?"})
    log.write(tmp_path / "logs")
    with indexed(tmp_path / "home", tmp_path / "logs") as opened:
        yield opened


def refused(*_: object, **__: object) -> None:
    raise FullDiskError("no space left")


def planned(engine: Engine, why: str, patch: pytest.MonkeyPatch) -> Manifest:
    """The manifest of a call that cannot be kept for one of these reasons."""
    loaded = Loaded(Config(manifests=ManifestOptions(store=why != "told not to")))
    with patch.context() as broken:
        if why == "too large":
            broken.setattr("backstory.plan.manifest.WHOLE_BYTES", 1_000)
            broken.setattr("backstory.plan.manifest.MOST_BYTES", 2_000)
        if why == "full disk":
            broken.setattr("backstory.store.manifests.save", refused)
        request = PlanRequest(session=SESSION, no_sync=True, window=64_000, model="acme/one")
        return plan.plan(engine, request, Terms(loaded, ephemeral=why == "ephemeral")).manifest


@pytest.mark.parametrize("why", ["too large", "full disk", "told not to", "ephemeral"])
def test_what_is_not_kept_on_disk_is_there_and_teaches(
    engine: Engine, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        made = planned(engine, why, monkeypatch)
        assert manifests.show(engine, ManifestRequest(manifest=made.id)) == made
        assert manifests.listed(engine, ManifestsRequest()).items[0].id == made.id
        assert made.calibration.observed == number
        assert any("kept" in warning for warning in made.warnings) == (why in {"too large", "full disk"})
        usage = Usage(made.estimated_input * 2)
        assert manifests.answered(engine, made.id, usage)
        assert not manifests.answered(engine, made.id, usage)
    last = planned(engine, why, monkeypatch)
    assert last.calibration.calibrated
    assert last.cache is not None
    assert last.cache.reusable > 0
    assert list(engine.history.rows(ROWS)) == [(0, 0)]


def test_the_call_before_is_the_latest_whether_it_was_kept_or_not(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(range(1_000, 9_000, 1_000))
    monkeypatch.setattr(Engine, "now", lambda _: next(times))
    lost = planned(engine, "full disk", monkeypatch)
    other = PlanRequest(session=SESSION, no_sync=True, window=64_000, model="other/two")
    kept = plan.plan(engine, other).manifest
    assert [row.id for row in manifests.listed(engine, ManifestsRequest()).items] == [kept.id, lost.id]
    again = plan.plan(engine, other).manifest
    assert again.switch is not None
    assert not again.switch.switched
    back = planned(engine, "full disk", monkeypatch)
    assert back.switch is not None
    assert back.switch.previous == "other/two"


def host_calls(engine: Engine, call: HostCall, count: int) -> list[Manifest]:
    messages: list[dict[str, Any]] = []
    for number in range(60):
        messages.append({"role": "user", "content": f"question {number}", "timestamp": number})
        block = {"type": "text", "text": "word " * 500}
        messages.append({"role": "assistant", "content": [block], "timestamp": number, "stopReason": "stop"})
    raws = [json.dumps(message).encode() for message in [*messages, {"role": "user", "content": "go", "timestamp": 99}]]
    names = tuple(f":{sha256(raw).hexdigest()[:16]}" for raw in raws)
    host, made = Host(engine), list[Manifest]()
    for _ in range(count):
        answer = host.context(ContextRequest(call, 0, names))
        if answer.need:
            given = {at: msgspec.Raw(raws[at]) for at in answer.need}
            answer = host.context(ContextRequest(call, len(raws), (), given))
        assert answer.manifest is not None
        host.answered(Answered(call, answer.manifest, COUNTED))
        made.append(manifests.show(engine, ManifestRequest(manifest=answer.manifest)))
    return made


def test_a_host_session_in_memory_learns_and_leaves_nothing(tmp_path: Path) -> None:
    call = HostCall(session="s", cwd=str(tmp_path), ephemeral=True, model=Model("mock", "m", 16_000, 1_000))
    with open_engine(tmp_path / "data", env={"HOME": str(tmp_path)}) as engine:
        made = host_calls(engine, call, 4)
        assert [one.calibration.observed for one in made] == [0, 1, 2, 3]
        assert all(one.usage == COUNTED for one in made)
        assert made[-1].budget.ratio > 1.0
        assert list(engine.history.rows(ROWS)) == [(0, 0)]


def test_a_session_in_memory_answers_for_no_call_that_was_kept(engine: Engine, tmp_path: Path) -> None:
    kept = plan.plan(engine, PlanRequest(session=SESSION, no_sync=True, window=64_000, model="acme/one")).manifest
    call = HostCall(session="s", cwd=str(tmp_path), ephemeral=True, model=Model("mock", "m", 16_000))
    Host(engine).answered(Answered(call, kept.id, COUNTED))
    assert list(engine.history.rows(ROWS)) == [(1, 0)]
    assert manifests.show(engine, ManifestRequest(manifest=kept.id)).usage is None
