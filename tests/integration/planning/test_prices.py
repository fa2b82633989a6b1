"""What prices, and a provider's cache, do to a planned call and to those that follow it."""

from pathlib import Path
from typing import Any

import pytest

from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import manifests, plan
from backstory.engine.planning.call import Terms
from backstory.records.budget import Limits, Override, Prices
from backstory.records.plan import CachePolicy
from backstory.records.planning import Planned, PlanRequest, ReplayRequest
from tests.fakes.indexed import indexed
from tests.fakes.pi_log import SESSION
from tests.fakes.priced import PRICES, Priced, over, planned, settings


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
