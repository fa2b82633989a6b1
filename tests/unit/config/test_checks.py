"""Rules between settings, at the very values where they begin to refuse."""

from collections.abc import Callable

import msgspec
import pytest

from backstory.config import checks
from backstory.errors import InvalidConfigError
from backstory.records.budget import Bounds, Limits, Override
from backstory.records.privacy import Policy


@pytest.mark.parametrize(
    ("target", "soft", "hard", "sound"),
    [
        (0.9, 0.9, 0.9, True),
        (0.01, 0.0, 0.9, True),
        (0.0, 0.5, 0.9, False),
        (-0.1, 0.5, 0.9, False),
        (0.91, 0.5, 0.9, False),
        (0.5, 0.91, 0.9, False),
    ],
)
def test_fills_are_in_order(target: float, soft: float, hard: float, sound: object) -> None:
    limits = msgspec.structs.replace(Limits(), target_fill=target, soft_fill=soft, hard_fill=hard)
    assert accepted(lambda: checks.limits(limits)) is sound


@pytest.mark.parametrize(
    ("lower", "upper", "sound"),
    [(1.0, 1.0, True), (0.5, 2.0, True), (1.01, 2.0, False), (0.5, 0.99, False)],
)
def test_bounds_leave_room_for_no_correction(lower: float, upper: float, sound: object) -> None:
    assert accepted(lambda: checks.bounds(Bounds(lower=lower, upper=upper))) is sound


@pytest.mark.parametrize("field", ["margin", "tail", "history", "project"])
def test_parts_may_be_nothing_and_never_less(field: str) -> None:
    assert accepted(lambda: checks.models({"p/m": changed(field, 0)}))
    assert not accepted(lambda: checks.models({"p/m": changed(field, -1)}))


@pytest.mark.parametrize("field", ["window", "max_output"])
def test_a_window_and_an_answer_have_a_size(field: str) -> None:
    assert accepted(lambda: checks.models({"p/m": changed(field, 1)}))
    assert not accepted(lambda: checks.models({"p/m": changed(field, 0)}))


def test_an_answer_may_fill_the_window_and_no_more() -> None:
    assert accepted(lambda: checks.models({"*": Override(window=10, max_output=10)}))
    assert not accepted(lambda: checks.models({"*": Override(window=10, max_output=11)}))


@pytest.mark.parametrize(
    ("key", "sound"),
    [
        *(("*", True), ("p/*", True), ("p/m", True), ("p/m/n", True)),
        *(("p", False), ("p/", False), ("/m", False), ("*/m", False)),
    ],
)
def test_a_model_is_named_by_its_provider_too(key: str, sound: object) -> None:
    assert accepted(lambda: checks.models({key: Override()})) is sound


@pytest.mark.parametrize(
    ("policy", "sound"),
    [
        (Policy(), True),
        (Policy(local=("ollama",), remote={"openai": ("normal",)}), True),
        (Policy(default="secret"), False),
        (Policy(remote_default=("normal", "local-only")), False),
        (Policy(remote={"openai": ("normal", "local-only")}), False),
        (Policy(remote={"openai": ("other",)}), False),
        (Policy(local=("OpenAI ",), remote={"openai": ("normal",)}), False),
        (Policy(default="local-only"), True),
    ],
)
def test_rules_for_providers_do_not_contradict_themselves(policy: Policy, sound: object) -> None:
    assert accepted(lambda: checks.privacy(policy)) is sound


def changed(field: str, value: int) -> Override:
    return msgspec.structs.replace(Override(), **{field: value})


def accepted(check: Callable[[], None]) -> bool:
    """Whether a check refuses nothing."""
    try:
        check()
    except InvalidConfigError:
        return False
    return True
