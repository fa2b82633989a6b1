"""How many manifests and samples stay, and how much one write removes."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from backstory.records.budget import Sample, Usage
from backstory.records.manifest import Manifest
from backstory.store import manifests
from backstory.store.history import History, open_history

MANIFEST = Path(__file__).parents[2] / "fixtures" / "manifests"
PROFILE = "acme/one@chars-v1"


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with closing(open_history(str(tmp_path / "history.db"))) as opened:
        yield opened


@pytest.fixture
def made() -> Manifest:
    return msgspec.json.decode(next(iter(sorted(MANIFEST.glob("*.json")))).read_bytes(), type=Manifest)


def save(history: History, made: Manifest, name: str, *, size: int = 0, keep: int = manifests.KEPT) -> None:
    manifests.save(history, msgspec.structs.replace(made, id=name, warnings=("x" * size,)), keep)


def kept(history: History) -> list[str]:
    return [row.id for row in manifests.listed(history, None, 1_000)][::-1]


def test_the_newest_stay(history: History, made: Manifest) -> None:
    for number in range(manifests.KEPT + 5):
        save(history, made, f"m{number}")
    assert kept(history) == [f"m{number}" for number in range(5, manifests.KEPT + 5)]


def test_one_write_removes_no_more_than_so_many(history: History, made: Manifest) -> None:
    for number in range(50):
        save(history, made, f"m{number}")
    save(history, made, "last", keep=1)
    assert len(kept(history)) == 51 - manifests.PRUNED == 51 - 32
    save(history, made, "later", keep=1)
    assert kept(history) == ["later"]


def test_one_write_removes_no_more_than_so_many_bytes_but_always_the_oldest(history: History, made: Manifest) -> None:
    third = manifests.PRUNED_BYTES // 3
    for name, size in [("vast", 9 * 1024 * 1024), ("a", third), ("b", third), ("c", third)]:
        save(history, made, name, size=size)
    save(history, made, "first", keep=1)
    assert kept(history) == ["a", "b", "c", "first"]
    save(history, made, "second", keep=1)
    assert kept(history) == ["c", "first", "second"]


def test_samples_outlive_their_manifests_and_are_bounded_by_themselves(history: History, made: Manifest) -> None:
    for number in range(manifests.SAMPLES + 3):
        name = f"m{number}"
        save(history, made, name, keep=1)
        assert manifests.answered(history, msgspec.structs.replace(made, id=name), Usage(100 + number), PROFILE, number)
    assert len(kept(history)) == 1
    found = [sample.input for sample in manifests.samples(history, PROFILE, 1_000)]
    assert found == list(range(100 + manifests.SAMPLES + 2, 102, -1))
    assert len(found) == 200
    many = [("p", f"s{number}", Sample(10, number)) for number in range(300)]
    manifests.save(history, msgspec.structs.replace(made, id="with"), samples=many)
    assert len(manifests.samples(history, "p", 1_000)) == manifests.SAMPLES
    assert len(manifests.samples(history, PROFILE, 1_000)) == manifests.SAMPLES
