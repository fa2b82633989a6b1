"""What is stored of a large manifest: all of it while it is small enough, else its ends and sums over the middle."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.plan import manifest
from backstory.plan.calibrate import calibrate
from backstory.plan.explain import explain
from backstory.records.budget import Bounds, Sample
from backstory.records.manifest import Line, Manifest, Tools
from backstory.records.plan import Plan
from backstory.text import canonical
from backstory.text.calls import EMPTY, ORPHAN, UNANSWERED, cells

HARBOUR = Path(__file__).parents[2] / "fixtures" / "manifests" / "harbour.json"


def made(lines: int, reason: str = "older than the newest turns that fit") -> Manifest:
    """A manifest with so many excluded items of 10 tokens each, two kinds in turn."""
    whole = msgspec.json.decode(HARBOUR.read_bytes(), type=Manifest)
    kinds = ("history", "retrieval")
    levels = {1_000: "internal"}
    excluded = tuple(Line(kinds[at % 2], 10, reason, f"e{at}", level=levels.get(at, "normal")) for at in range(lines))
    return msgspec.structs.replace(whole, excluded=excluded, inventory=None)


def test_a_small_one_is_kept_whole() -> None:
    stored = manifest.bounded(made(300))
    assert stored is not None
    assert stored.inventory is not None
    assert (len(stored.excluded), stored.inventory.completeness) == (300, "complete")
    assert (stored.inventory.excluded, stored.inventory.retained) == (300, 300)


def test_of_a_large_one_the_ends_are_kept_and_the_middle_is_summed_up() -> None:
    given = made(5_000)
    assert len(canonical.encode(given)) > manifest.WHOLE_BYTES
    stored = manifest.bounded(given)
    assert stored is not None
    assert stored.inventory is not None
    assert [line.source for line in stored.excluded] == [f"e{at}" for at in (*range(128), *range(4_872, 5_000))]
    inventory = stored.inventory
    assert (inventory.completeness, inventory.excluded, inventory.retained) == ("excluded-rollup", 5_000, 256)
    assert inventory.omitted_tokens == 10 * (5_000 - 256)
    assert inventory.kinds == {"history": 2_372, "retrieval": 2_372}
    assert inventory.kind_tokens == {"history": 23_720, "retrieval": 23_720}
    assert inventory.levels == {"internal": 1, "normal": 4_743}
    assert inventory.source_bytes == len(canonical.encode(given))
    assert manifest.bounded(stored) is stored


def test_what_is_left_out_is_named_by_a_digest() -> None:
    one, other = manifest.bounded(made(5_000)), manifest.bounded(made(5_000, "no room was left in the call"))
    assert one is not None
    assert other is not None
    assert one.inventory is not None
    assert other.inventory is not None
    assert one.inventory.digest != other.inventory.digest
    assert one.inventory.reason_digest != other.inventory.reason_digest
    again = manifest.bounded(made(5_000))
    assert again is not None
    assert again.inventory == one.inventory


def test_few_items_that_are_large_stay_and_too_large_ones_are_not_stored() -> None:
    few = manifest.bounded(made(200, "x" * 2_000))
    assert few is not None
    assert few.inventory is not None
    assert (len(few.excluded), few.inventory.completeness) == (200, "excluded-rollup")
    assert few.inventory.omitted_tokens == 0
    assert manifest.bounded(made(200, "x" * 6_000)) is None


def test_an_explanation_names_the_kinds_of_what_was_summed_up() -> None:
    stored = manifest.bounded(made(5_000))
    assert stored is not None
    told = "\n".join(explain(stored))
    assert "4744 more items (47,440 tokens), summed up" in told
    assert "23,720  older conversation (2,372 items)" in told


@pytest.mark.parametrize("reason", [UNANSWERED, ORPHAN, EMPTY])
def test_what_no_provider_would_take_is_not_called_older(reason: str) -> None:
    given = made(1, reason)
    assert f"10  conversation that cannot be sent (1 message): {reason}" in "\n".join(explain(given))
    assert cells(given.excluded[0]).kind == "unfit"


@pytest.mark.parametrize(
    ("ratios", "calibrated", "told"),
    [
        ([1.0] * 9 + [2.2] * 3, True, "3 of 12 lie too far off to learn from, the others count"),
        ([0.1, 9.0, 12.0], False, "3 of 3 lie too far off to learn from, and too few are left to correct limits"),
    ],
)
def test_answered_calls_that_do_not_agree_say_what_follows(ratios: list[float], told: str, *, calibrated: bool) -> None:
    learnt = calibrate([Sample(1_000, int(1_000 * ratio)) for ratio in ratios], Bounds(minimum=3))
    assert learnt.calibrated == calibrated
    lines = explain(msgspec.structs.replace(made(0), calibration=learnt))
    assert f"  answered calls do not agree on how far estimates are off: {told}" in lines


def test_one_that_was_kept_before_it_said_so_much_is_still_read() -> None:
    document = msgspec.json.decode(HARBOUR.read_bytes(), type=dict[str, Any])
    for name in ("kept", "revision", "tools"):
        del document[name]
    del document["composition"]["tool_count"]
    for snippet in document["snippets"]:
        for name in ("modified", "commit", "symbol"):
            del snippet[name]
    old = msgspec.json.decode(msgspec.json.encode(document), type=Manifest)
    assert (old.revision, old.tools, old.kept, old.composition.tool_count) == (None, (), (), None)
    assert "200  tools" in "\n".join(explain(old))


@pytest.mark.parametrize(
    ("tools", "parts"),
    [
        (None, (500, 0, None)),
        (Tools(200), (300, 200, None)),
        (Tools(200, ("bash", "read")), (300, 200, 2)),
        (Tools(0, ()), (500, 0, 0)),
        (Tools(900, ("bash",)), (0, 500, 1)),
    ],
)
def test_tools_are_part_of_what_is_fixed(tools: Tools | None, parts: tuple[int, int, int | None]) -> None:
    plan = Plan(
        "managed", (), (), tokens=0, fixed=500, hard=1, target=1, tail=1, original_tokens=0, original_messages=0
    )
    found = manifest.composition(plan, tools)
    assert (found.system, found.tools, found.tool_count) == parts
