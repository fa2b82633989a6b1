"""What an agent's own counts teach: differences between calls, so that what no log shows does not matter."""

from backstory.plan.usage import STEP, AnsweredCall, prices, samples
from backstory.records.budget import Prices, Usage

HIDDEN = 14_000


def answer(seq: int, before: int, ratio: float = 1.5, *, model: str = "p/m", stop: str | None = None) -> AnsweredCall:
    prompt = HIDDEN + round(before * ratio)
    return AnsweredCall(seq, model, Usage(prompt // 10, prompt - prompt // 10), before, stop)


def ratios(found: list[AnsweredCall]) -> list[float]:
    return [round(sample.actual / sample.estimated, 3) for _, sample in samples(found, "p/m")]


def test_what_no_log_shows_does_not_spoil_the_ratio() -> None:
    assert ratios([answer(at, at * STEP) for at in range(5)]) == [1.5] * 4


def test_a_sample_spans_enough_to_be_exact_and_counts_the_whole_call() -> None:
    small = [answer(at, at * STEP // 4) for at in range(9)]
    found = samples(small, "p/m")
    assert [seq for seq, _ in found] == [4, 8]
    assert found[-1][1].actual == small[-1].usage.prompt
    assert found[-1][1].cache_read == small[-1].usage.cache_read


def test_failed_answers_and_other_models_teach_nothing() -> None:
    mixed = [answer(0, 0), answer(1, 4_000, 9.0, stop="aborted"), answer(2, 4_000, 9.0, model="p/x"), answer(3, 8_000)]
    assert ratios(mixed) == [1.5]


def test_a_context_that_became_smaller_begins_anew_and_what_lies_far_off_is_left_out() -> None:
    compacted = [answer(0, 40_000), answer(1, 50_000), answer(2, 3_000), answer(3, 9_000)]
    assert ratios(compacted) == [1.5, 1.5]
    jumped = [answer(0, 0), AnsweredCall(1, "p/m", Usage(HIDDEN + 90_000), 3_000), answer(2, 70_000)]
    assert ratios(jumped) == []


def test_the_newest_price_of_each_kind_is_known() -> None:
    found = prices(
        [Usage(1, prices=Prices(input=3.0, output=15.0)), Usage(1), Usage(1, prices=Prices(input=5.0, cache_read=0.5))]
    )
    assert found == Prices(input=5.0, output=15.0, cache_read=0.5)
    assert prices([]) == Prices()
