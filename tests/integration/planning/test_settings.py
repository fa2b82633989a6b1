"""What settings, the session's model and counted usage do to a planned call."""

from pathlib import Path
from typing import Any

import pytest

from backstory.engine.open import Engine
from backstory.engine.planning import estimators, manifests, plan
from backstory.engine.planning.call import Terms
from backstory.errors import UsageError
from backstory.records.budget import Bounds, Model, Override, Usage
from backstory.records.config import ArtifactOptions, ContextOptions, ManifestOptions, RetrievalOptions
from backstory.records.planning import ManifestRequest, ManifestsRequest, PlanRequest
from backstory.records.settings import Loaded
from tests.fakes.pi_log import SESSION
from tests.fakes.priced import Priced, over, planned, settings


def test_a_settings_file_holds_for_every_plan(engine: Engine, tmp_path: Path) -> None:
    text = '[context]\nplacement = "stable-prefix"\ncard = false\nplacment = 1\n[budget]\ntail = 1500\n'
    (tmp_path / "home" / "config.toml").write_text(text, encoding="utf-8")
    manifest = planned(engine).manifest
    assert manifest.planning.placement == "stable-prefix"
    assert manifest.budget.tail < 1_500
    assert "card" not in manifest.composition.kinds
    assert any("config.toml:4: context.placment: no such setting" in warning for warning in manifest.warnings)
    assert planned(engine, placement="latest-user").manifest.planning.placement == "latest-user"


@pytest.mark.parametrize(
    ("loaded", "kind"),
    [
        (settings(context=ContextOptions(card=False)), "card"),
        (settings(context=ContextOptions(excerpts=False)), "excerpt"),
        (settings(retrieval=RetrievalOptions(enabled=False)), "retrieval"),
    ],
)
def test_parts_can_be_switched_off(engine: Engine, loaded: Loaded, kind: str) -> None:
    assert kind in planned(engine, settings(), budget=6_000).manifest.composition.kinds
    assert kind not in planned(engine, loaded, budget=6_000).manifest.composition.kinds


def test_the_threshold_of_large_results_is_a_setting(tmp_path: Path, log: Priced) -> None:
    log.turn(80, 6_000)
    with over(tmp_path, log) as engine:
        assert planned(engine).manifest.artifacts == ()
        small = settings(artifacts=ArtifactOptions(threshold=3_000))
        assert len(planned(engine, small).manifest.artifacts) == 1
        off = settings(artifacts=ArtifactOptions(enabled=False, threshold=3_000))
        assert planned(engine, off).manifest.artifacts == ()


def test_the_model_is_the_newest_of_the_branch_and_a_change_without_an_answer_counts(
    tmp_path: Path, log: Priced
) -> None:
    log.add("model_change", provider="other", modelId="two")
    with over(tmp_path, log) as engine:
        assert (planned(engine).manifest.provider, planned(engine).manifest.model) == ("other", "two")
        past = planned(engine, at="00000004").manifest
        assert (past.provider, past.model) == ("acme", "one")


def test_a_window_that_leaves_nothing_is_told(engine: Engine) -> None:
    [warning] = planned(engine, window=1_000).manifest.warnings
    assert "a window of 1,000 tokens is too small for a plan and leaves 0 for messages" in warning
    assert planned(engine, window=16_000).manifest.warnings == ()
    assert planned(engine, window=1_000, budget=500).manifest.warnings == ()


def test_a_window_that_nobody_knows_is_assumed_and_said(engine: Engine) -> None:
    [warning] = planned(engine).manifest.warnings
    assert "acme/one is not known; 200,000 tokens are assumed" in warning
    assert planned(engine, window=64_000).manifest.warnings == ()
    known = settings(models={"acme/*": Override(window=48_000, max_output=4_000)})
    manifest = planned(engine, known).manifest
    assert (manifest.budget.window, manifest.budget.reserve, manifest.warnings) == (48_000, 4_000, ())
    assert planned(engine, known, window=64_000).manifest.budget.window == 64_000
    host = Model("acme", "one", 100_000, 8_000)
    assert planned(engine, host=host).manifest.budget.window == 100_000
    assert planned(engine, known, host=host).manifest.budget.window == 48_000


def test_counts_in_the_log_calibrate_without_the_unseen_system_prompt(engine: Engine) -> None:
    calibration = planned(engine).manifest.calibration
    assert calibration.calibrated
    assert calibration.ratio == pytest.approx(1.25, abs=0.06)
    assert planned(engine).manifest.calibration == calibration
    assert planned(engine, model="acme/other").manifest.calibration.observed == 0
    assert not planned(engine, settings(calibration=Bounds(enabled=False))).manifest.calibration.calibrated


def test_a_budget_in_tokens_is_taken_at_its_word(engine: Engine) -> None:
    window, budget = planned(engine).manifest, planned(engine, budget=9_000).manifest
    assert window.budget.ratio > 1
    assert budget.calibration == window.calibration
    assert (budget.budget.ratio, budget.budget.active, budget.budget.history) == (1.0, 9_000, 16_000)


def test_a_session_whose_calls_were_planned_teaches_by_what_its_host_reports_only(engine: Engine) -> None:
    manifest = planned(engine, model="acme/two").manifest
    assert manifests.answered(engine, manifest.id, Usage(manifest.estimated_input))
    assert planned(engine).manifest.calibration.observed == 0


def test_drift_is_said_in_words(tmp_path: Path) -> None:
    log = Priced(ratio=1.7)
    for number in range(30):
        log.turn(number, 2_000)
    log.say("user", {"type": "text", "text": "and now?"})
    with over(tmp_path, log) as engine:
        answer = planned(engine)
        assert answer.manifest.calibration.drift is not None
        assert "estimates are too low for this model by far" in "\n".join(answer.explanation)


def test_room_that_stays_free_lets_categories_grow_when_asked(tmp_path: Path) -> None:
    log = Priced(ratio=1.0)
    for number in range(60):
        log.turn(number, 2_000)
    log.say("user", {"type": "text", "text": "and now?"})
    with over(tmp_path, log) as engine:
        plain = planned(engine, settings()).manifest
        tuned = planned(engine, settings(calibration=Bounds(auto_tune=True))).manifest
        assert (plain.tuning.status, tuned.tuning.status) == ("disabled", "expanded")
        assert tuned.budget.tail > plain.budget.tail
        assert (tuned.budget.hard, tuned.budget.active) == (plain.budget.hard, plain.budget.active)


def test_nothing_of_an_ephemeral_call_is_kept_on_disk(engine: Engine) -> None:
    request = PlanRequest(session=SESSION, no_sync=True, window=64_000)
    before = [one.id for one in manifests.listed(engine, ManifestsRequest()).items]
    for _ in range(3):
        manifest = plan.plan(engine, request, Terms(ephemeral=True)).manifest
        counted = Usage(manifest.estimated_input * 2)
        assert manifests.answered(engine, manifest.id, counted)
        assert not manifests.answered(engine, manifest.id, counted)
    assert manifests.show(engine, ManifestRequest(manifest=manifest.id)).usage == counted
    last = plan.plan(engine, request, Terms(ephemeral=True)).manifest
    assert last.cache is not None
    assert last.cache.reusable > 0
    rows = engine.history.rows("SELECT (SELECT count(*) FROM manifests), (SELECT count(*) FROM samples)")
    assert list(rows) == [(len(before), 0)]
    assert len(manifests.listed(engine, ManifestsRequest()).items) == len(before) + 4


def test_manifests_are_kept_as_long_as_the_settings_say(engine: Engine) -> None:
    few = settings(manifests=ManifestOptions(keep=2))
    for budget in (1_000, 2_000, 3_000):
        planned(engine, few, budget=budget)
    assert len(manifests.listed(engine, ManifestsRequest()).items) == 2
    planned(engine, settings(manifests=ManifestOptions(store=False)))
    assert list(engine.history.rows("SELECT count(*) FROM manifests")) == [(2,)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"placement": "middle"},
        {"budget": 0},
        {"budget": -1},
        {"window": 0},
        {"max_output": -5},
        {"fixed": -1},
        {"fixed": 10**20},
        {"window": 2**63},
        {"cache": "maybe"},
        {"model": "x"},
    ],
)
def test_sizes_and_words_that_make_no_sense_are_refused(engine: Engine, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        planned(engine, **wrong)


def test_a_model_may_be_counted_with_a_real_vocabulary(engine: Engine) -> None:
    pytest.importorskip("bpe_openai", reason="install backstory[bpe]")
    loaded = settings(models={"acme/*": Override(estimator="bpe")})
    answer, plain = planned(engine, loaded, window=64_000), planned(engine, window=64_000)
    assert (answer.manifest.estimator, plain.manifest.estimator) == ("bpe", "chars-v1")
    by_entry = {message.entry_id: message.tokens for message in plain.messages}
    counted = {message.entry_id: message.tokens for message in answer.messages if message.entry_id in by_entry}
    assert counted
    assert any(tokens != by_entry[entry] for entry, tokens in counted.items())
    assert answer.manifest.calibration.ratio != plain.manifest.calibration.ratio


def test_a_missing_vocabulary_is_said_and_characters_are_counted(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimators, "bpe", lambda: None)
    manifest = planned(engine, settings(models={"*": Override(estimator="bpe")}), window=64_000).manifest
    assert manifest.estimator == "chars-v1"
    assert "backstory[bpe]" in manifest.warnings[0]
