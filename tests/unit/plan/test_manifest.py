"""What is stored of a large manifest: all of it while it is small enough, else its ends and sums over the middle."""

from pathlib import Path

import msgspec

from backstory.plan import manifest
from backstory.records.manifest import Line, Manifest
from backstory.text import canonical

HARBOUR = Path(__file__).parents[2] / "fixtures" / "manifests" / "harbour.json"


def made(lines: int, reason: str = "older than the newest turns that fit") -> Manifest:
    """A manifest with so many excluded items of 10 tokens each, two kinds in turn."""
    whole = msgspec.json.decode(HARBOUR.read_bytes(), type=Manifest)
    kinds = ("history", "retrieval")
    excluded = tuple(Line(kinds[at % 2], 10, reason, f"e{at}") for at in range(lines))
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
    assert inventory.source_bytes == len(canonical.encode(given))
    assert manifest.bounded(stored) is stored


def test_what_is_left_out_is_named_by_a_digest() -> None:
    one, other = manifest.bounded(made(5_000)), manifest.bounded(made(5_000, "no room was left in the call"))
    assert one is not None
    assert other is not None
    assert one.inventory is not None
    assert other.inventory is not None
    assert one.inventory.digest != other.inventory.digest
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
