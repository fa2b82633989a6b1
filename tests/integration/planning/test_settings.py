"""What settings, the session's model, counted usage and privacy do to a planned call."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.engine.memory import commands
from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import estimators, manifests, plan
from backstory.engine.planning.call import Terms
from backstory.errors import UsageError
from backstory.privacy.policy import UNCHECKED, Guard
from backstory.records.budget import Bounds, Limits, Model, Override, Prices, Usage
from backstory.records.config import ArtifactOptions, Config, ContextOptions, ManifestOptions, RetrievalOptions
from backstory.records.memory import MEMORY_TYPE, PIN_TYPE
from backstory.records.memory_requests import MemoryAddRequest, MemorySupersedeRequest, PinRequest
from backstory.records.plan import CachePolicy
from backstory.records.planning import ManifestRequest, ManifestsRequest, Planned, PlanRequest, ReplayRequest
from backstory.records.privacy import LOCKED, Policy
from backstory.records.settings import Loaded
from tests.fakes.indexed import indexed, take_in
from tests.fakes.pi_log import SESSION, PiLog, texts

PRICES = Prices(input=4.0, output=20.0, cache_read=0.1, cache_write=5.0)
CANARY = "CANARY-7711"


class Priced(PiLog):
    """A session whose answers were counted: a constant for what no log shows, and `ratio` tokens for each estimated."""

    def __init__(self, provider: str = "acme", model: str = "one", ratio: float = 1.25) -> None:
        super().__init__()
        self.provider, self.model, self.ratio = provider, model, ratio
        self.chars = 0

    def say(self, role: str, *blocks: dict[str, Any], **more: Any) -> str:
        if role == "assistant":
            prompt = 9_000 + int(self.chars / 4 * self.ratio)
            usage = {"input": prompt, "output": 5, "cacheRead": 0, "cacheWrite": 0}
            cost = {"input": prompt * 4 / 1e6, "output": 5 * 20 / 1e6, "cacheRead": 0, "cacheWrite": 0}
            more |= {"provider": self.provider, "model": self.model, "usage": usage | {"cost": cost}}
        self.chars += 48 + sum(len(str(block.get("text") or block.get("arguments"))) + 16 for block in blocks)
        return super().say(role, *blocks, **more)


@pytest.fixture
def log() -> Priced:
    made = Priced()
    for number in range(30):
        made.turn(number, 2_000)
    made.say("user", {"type": "text", "text": "where is handlerNumber3 called?"})
    return made


@pytest.fixture
def engine(tmp_path: Path, log: Priced) -> Iterator[Engine]:
    with over(tmp_path, log) as opened:
        yield opened


def over(tmp_path: Path, log: PiLog) -> Engine:
    log.write(tmp_path / "logs")
    env = {"HOME": str(tmp_path), "BACKSTORY_HOME": str(tmp_path / "home")}
    opened = open_engine(tmp_path / "home", env=env)
    take_in(opened, tmp_path / "logs")
    return opened


def planned(engine: Engine, loaded: Loaded | None = None, *, host: Model | None = None, **more: Any) -> Planned:
    return plan.plan(engine, PlanRequest(session=SESSION, no_sync=True, **more), Terms(loaded, host))


def settings(**sections: Any) -> Loaded:
    return Loaded(Config(**sections))


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


def test_what_may_be_reused_is_priced_as_new_where_no_other_price_is_known(engine: Engine) -> None:
    known = settings(models={"*": Override(prices=Prices(input=4.0, output=20.0))})
    planned(engine, known, model="p/unknown")
    again = planned(engine, known, model="p/unknown")
    report = again.manifest.cache
    assert report is not None
    assert report.reusable > 0
    assert report.as_new
    assert report.cost == pytest.approx(again.manifest.estimated_input * 4 / 1e6, abs=1e-5)
    assert "at the price of new ones" in "\n".join(again.explanation)


def test_prices_of_the_log_say_what_a_call_costs(engine: Engine) -> None:
    answer = planned(engine)
    first = answer.manifest
    assert any(line.endswith("; nothing of it is cached.") for line in answer.explanation)
    assert first.cache is not None
    assert first.cache.cost == pytest.approx(first.estimated_input * 4 / 1e6, abs=1e-5)
    assert "It costs about $" in "\n".join(planned(engine, settings(models={"*": Override(prices=PRICES)})).explanation)
    again = planned(engine, settings(models={"*": Override(prices=PRICES)})).manifest
    assert again.cache is not None
    assert again.cache.reusable == again.estimated_input
    assert again.cache.new == 0.0
    assert again.cache.cached == pytest.approx(again.estimated_input * 0.1 / 1e6, abs=1e-6)


def test_another_model_finds_nothing_in_its_cache(engine: Engine) -> None:
    planned(engine, model="p/a")
    switched = planned(engine, model="p/b").manifest
    assert switched.switch is not None
    assert (switched.switch.switched, switched.switch.previous) == (True, "p/a")
    assert switched.switch.disposition == "cold-model-switch"
    assert switched.cache is not None
    assert switched.cache.reusable == 0
    back = planned(engine, model="p/b").manifest
    assert back.switch is not None
    assert back.switch.disposition == "eligible"
    assert back.cache is not None
    assert back.cache.reusable > 0


def test_of_two_hosts_in_a_session_each_goes_on_from_its_own_call(engine: Engine) -> None:
    with open_engine(engine.home) as other:
        assert planned(other, model="p/b").manifest.session == planned(engine, model="p/a").manifest.session
        for one, model in ((engine, "p/a"), (other, "p/b"), (engine, "p/a")):
            made = planned(one, model=model).manifest
            assert made.switch is not None
            assert made.cache is not None
            assert (made.switch.switched, made.switch.previous, made.cache.reusable > 0) == (False, model, True)
        replayed = manifests.replay(engine, ReplayRequest(manifest=made.id, model="p/c"))
        again = planned(engine, model="p/a").manifest
        assert again.switch is not None
        assert (replayed.manifest.model, again.switch.switched) == ("c", False)
    with open_engine(engine.home) as later:
        made = planned(later, model="p/b").manifest
        assert made.switch is not None
        assert made.switch.previous == "p/a"


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


def cached(log: Priced) -> None:
    for line in log.lines:
        usage = line.get("message", {}).get("usage")
        if usage:
            usage["cacheRead"], usage["input"] = usage["input"] - 100, 100
            usage["cost"]["cacheRead"] = usage["cacheRead"] * 0.1 / 1e6
            usage["cost"]["input"] = usage["input"] * 4 / 1e6


def test_where_cached_input_is_cheap_and_seen_the_tail_grows_and_moves_seldom(tmp_path: Path, log: Priced) -> None:
    cached(log)
    auto = settings(cache=CachePolicy(mode="auto"), budget=Limits(tail=6_000))
    with over(tmp_path, log) as engine:
        manifest = planned(engine, auto, window=40_000, max_output=4_000).manifest
        assert manifest.cache is not None
        assert manifest.cache.eligible
        assert manifest.cache.ratio == 40.0
        assert manifest.cache.extended
        assert manifest.planning.tail_limit > 6_000
        plain = planned(engine, auto, window=40_000, max_output=4_000, cache="off").manifest
        assert plain.planning.tail_limit < 6_000


def test_a_budget_given_in_tokens_is_filled_unless_the_request_says_otherwise(tmp_path: Path, log: Priced) -> None:
    cached(log)
    with over(tmp_path, log) as engine:
        filled = planned(engine, budget=9_000).manifest
        steady = planned(engine, budget=9_000, cache="auto").manifest
        assert filled.cache is not None
        assert steady.cache is not None
        assert (filled.cache.steady, steady.cache.steady) == (False, True)
        assert filled.estimated_input > steady.estimated_input


def test_without_prices_the_tail_stays_as_it_is_and_the_reasons_are_told(engine: Engine) -> None:
    manifest = planned(engine, cache="auto", model="p/unknown").manifest
    assert manifest.cache is not None
    assert not manifest.cache.eligible
    assert manifest.cache.reasons == (
        "cache-pricing-incomplete",
        "cache-share-unobserved",
        "insufficient-samples:0",
    )


@pytest.fixture
def marked(tmp_path: Path, log: Priced) -> Iterator[Engine]:
    log.say("assistant", {"type": "text", "text": "the answer"})
    log.say("user", {"type": "text", "text": f"note [ds4:local-only]{CANARY} in src/{CANARY}.py[/ds4:local-only] ok"})
    for number in range(40, 46):
        log.turn(number)
    log.say(
        "assistant", {"type": "toolCall", "id": "x", "name": "bash", "arguments": {"c": f"[ds4:sensitive]{CANARY}"}}
    )
    result = {"type": "text", "text": f"[ds4:local-only] {CANARY} and more"}
    log.say("toolResult", result, toolCallId="x", toolName="bash", isError=False)
    log.say("user", {"type": "text", "text": "what did the note say?"})
    with over(tmp_path, log) as opened:
        yield opened


def everything(answer: Planned) -> str:
    return msgspec.json.encode(answer).decode()


@pytest.mark.parametrize("budget", [1_500, 4_000, None])
def test_what_the_policy_withholds_is_nowhere_in_the_answer(marked: Engine, budget: int | None) -> None:
    private = settings(privacy=Policy(enabled=True))
    asked = f"[ds4:sensitive]tell me about {CANARY}[/ds4:sensitive] please"
    answer = planned(marked, private, budget=budget, request=asked)
    assert CANARY not in everything(answer)
    assert answer.manifest.privacy.stage == "context-and-provider"
    assert answer.manifest.privacy.blocked > 0
    assert "please" in texts(answer)
    before = msgspec.json.encode(answer.messages)
    local = planned(marked, private, budget=budget, request=asked, model="ollama/any")
    assert CANARY in everything(local)
    assert CANARY in everything(planned(marked, settings(), budget=budget, request=asked))
    assert msgspec.json.encode(planned(marked, private, budget=budget, request=asked).messages) == before


def test_marks_in_pins_and_memories_count_although_both_are_quoted(engine: Engine) -> None:
    commands.pin(engine, PinRequest(session=SESSION, text=(f"mind [ds4:sensitive]{CANARY}[/ds4:sensitive]",)))
    commands.pin(engine, PinRequest(session=SESSION, text=("mind the gap",)))
    commands.add(engine, MemoryAddRequest(session=SESSION, text=(f"handlerNumber3 is [ds4:local-only]{CANARY}",)))
    private = settings(privacy=Policy(enabled=True))
    remote = planned(engine, private)
    assert CANARY not in everything(remote)
    assert "mind the gap" in texts(remote)
    assert remote.manifest.privacy.excluded == 2
    assert texts(planned(engine, private, model="ollama/any")).count(CANARY) == 2


@pytest.mark.parametrize("enabled", [False, True])
def test_evidence_has_the_level_of_what_it_quotes_and_no_marks(tmp_path: Path, *, enabled: bool) -> None:
    log = Priced()
    marked = f"[ds4:internal]the codename is {CANARY} in src/canary.py[/ds4:internal]"
    log.say("user", {"type": "text", "text": f"{marked} and more words"})
    log.say("assistant", {"type": "text", "text": "noted"})
    for number in range(30):
        log.turn(number, 2_000)
    log.say("user", {"type": "text", "text": f"what is the codename {CANARY}?"})
    with over(tmp_path, log) as engine:
        answer = planned(engine, settings(privacy=Policy(enabled=enabled)), budget=12_000)
    levels = {line.kind: line.level for line in answer.manifest.included if line.kind in {"excerpt", "retrieval"}}
    assert levels == {"excerpt": "internal", "retrieval": "internal"}
    assert f"the codename is {CANARY}" in texts(answer)
    assert "ds4:internal" not in texts(answer)


@pytest.mark.parametrize("field", ["claim", "key", "content", "sourceFile"])
def test_marks_in_any_field_of_what_another_program_kept_count(tmp_path: Path, log: Priced, field: str) -> None:
    memory = field in {"claim", "key"}
    item = {"id": "a", "scope": "session", "createdAt": 1, "sourceEntryIds": [], "claim": "it is", "content": "mind it"}
    data = {"schemaVersion": 1, "mutationId": "m", "createdAt": 1, "operation": "add"}
    item[field] = f"[ds4:local-only]{CANARY}[/ds4:local-only]"
    log.add("custom", customType=MEMORY_TYPE if memory else PIN_TYPE, data={**data, "item": item})
    with over(tmp_path, log) as engine:
        private = settings(privacy=Policy(enabled=True))
        remote = planned(engine, private)
        assert CANARY not in everything(remote)
        assert remote.manifest.privacy.excluded == 1
        assert CANARY in texts(planned(engine, private, model="ollama/any"))


@pytest.mark.parametrize("text", ["never touch it", '"' * 60, "\u2028" * 9, "x" * 90])
def test_pins_that_were_accepted_are_all_in_the_call(engine: Engine, tmp_path: Path, text: str) -> None:
    (tmp_path / "home" / "config.toml").write_text("[budget]\npins = 700\n", encoding="utf-8")
    made = 0
    with suppress(UsageError):
        while made < 20:
            commands.pin(engine, PinRequest(session=SESSION, text=(f"{made} {text}",), file="src/a.py"))
            made += 1
    answer = planned(engine)
    assert answer.manifest.planning.mode == "managed"
    assert 2 < made < 20
    assert len(answer.manifest.pins) == made


@pytest.mark.parametrize(
    ("claim", "key"),
    [
        ("it is mise", f"[ds4:local-only]{CANARY}[/ds4:local-only]"),
        ("it is mise", f"[ds4:sensitive]{CANARY}"),
        (f"[ds4:sensitive]{CANARY}[/ds4:sensitive] is mise", None),
    ],
)
def test_the_key_of_a_memory_is_as_private_as_what_it_was_made_of(engine: Engine, claim: str, key: str | None) -> None:
    made = commands.add(engine, MemoryAddRequest(session=SESSION, text=(claim,), key=key)).item
    assert made.key == CANARY.lower()
    private = settings(privacy=Policy(enabled=True))
    for text in ("it is make", "it is just"):
        assert CANARY.lower() not in everything(planned(engine, private)).lower()
        assert f'"{CANARY.lower()}"' in texts(planned(engine, private, model="ollama/any"))
        later = MemorySupersedeRequest(session=SESSION, memory=made.id, text=(text,), classification="normal")
        made = commands.supersede(engine, later).item


def test_what_a_local_model_saw_is_not_remembered_for_a_remote_one(marked: Engine) -> None:
    private = settings(privacy=Policy(enabled=True))
    for loaded, model in ((settings(), None), (private, "ollama/any")):
        assert CANARY in everything(planned(marked, loaded, budget=1_500, model=model))
        assert CANARY not in everything(planned(marked, private, budget=1_500))


def test_a_settings_file_with_broken_privacy_withholds_everything(marked: Engine, tmp_path: Path) -> None:
    (tmp_path / "home" / "config.toml").write_text("[privacy]\nenabled = maybe\n", encoding="utf-8")
    answer = planned(marked)
    shown = [block["text"] for message in answer.messages for block in message.content if block["type"] == "text"]
    assert all("excluded by privacy policy" in text for text in shown)
    assert not [message for message in answer.messages if message.entry_id is None]
    assert "handlerNumber" not in everything(answer)
    assert any("until this is mended" in warning for warning in answer.manifest.warnings)


@pytest.mark.parametrize("broken", ["text", "message", "admit"])
def test_when_checking_itself_breaks_nothing_leaves_unchecked(
    marked: Engine, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def raising(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(Guard, broken, raising)
    answer = planned(marked, settings(privacy=Policy(enabled=True)), budget=4_000)
    assert CANARY not in everything(answer)
    native = [block for message in answer.messages if message.entry_id for block in message.content]
    synthetic = [message for message in answer.messages if message.entry_id is None]
    if broken == "admit":
        assert native
    else:
        assert {block.get("text", block.get("content", UNCHECKED)) for block in native} == {UNCHECKED}
    assert bool(synthetic) == (broken == "message")


def test_a_locked_policy_withholds_from_local_models_too(marked: Engine) -> None:
    assert "handlerNumber" not in everything(planned(marked, settings(privacy=LOCKED), model="ollama/any"))


def test_credentials_are_replaced_on_their_way_to_a_remote_model_when_privacy_is_on(tmp_path: Path) -> None:
    secret = "sk-" + "proj-Qm4kT9vLx2Zr7Wn5Yb1Ht8"
    log = PiLog()
    log.say("user", {"type": "text", "text": f"use {secret} for it"})
    with over(tmp_path, log) as engine:
        private = settings(privacy=Policy(enabled=True))
        answer = planned(engine, private)
        assert secret not in everything(answer)
        assert answer.manifest.privacy.secrets == 1
        assert secret in everything(planned(engine, private, model="ollama/any"))


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


def test_what_is_quoted_for_a_request_is_the_same_in_all_calls_of_its_turn(tmp_path: Path, data: Path) -> None:
    log = data / "pi" / "v1-real" / "large-session.jsonl"
    with indexed(tmp_path / "home", log) as engine:
        [(session,)] = engine.history.rows("SELECT source || ':' || id FROM sessions")
        calls = [
            PlanRequest(session=session, at=at, no_sync=True, cache="steady", window=200_000)
            for at in ("v1:493", "v1:495", "v1:497")
        ]
        first, *others = (
            quoted(plan.plan(engine, call, Terms(settings())), "card", "excerpt", "retrieval") for call in calls
        )
    assert len(first) > 2
    assert all(other == first for other in others)


def quoted(answer: Planned, *kinds: str) -> list[Any]:
    return [message.content for message in answer.messages if message.kind in kinds]


def test_card_and_excerpts_can_be_held_until_the_tail_moves(tmp_path: Path, log: Priced) -> None:
    for number in range(50, 54):
        log.say("assistant", {"type": "text", "text": f"answer {number}"})
        log.say("user", {"type": "text", "text": f"and handlerNumber{number - 40}?"})
    asked = [line["id"] for line in log.lines if str(line).find("and handlerNumber") > 0]
    held, loose = (settings(cache=CachePolicy(mode="steady", hold=hold)) for hold in (True, False))
    with over(tmp_path, log) as engine:
        for loaded, same in ((held, True), (loose, False)):
            cards = [quoted(plan.plan(engine, request(leaf), Terms(loaded)), "card", "excerpt") for leaf in asked[-2:]]
            assert cards[0]
            assert (cards[0] == cards[1]) is same
        kinds = [message.kind for message in plan.plan(engine, request(asked[-1]), Terms(held)).messages]
        assert kinds[kinds.index("excerpt") + 1] == "recent"
        assert plan.plan(engine, request(asked[-1]), Terms(held)).manifest.planning.mode == "managed"


def request(leaf: str) -> PlanRequest:
    return PlanRequest(session=SESSION, leaf=leaf, no_sync=True, budget=12_000)
