"""Queries far longer than anybody types are answered, and soon."""

from collections.abc import Sequence

import pytest

from tests.fakes.desk import Desk

WORDS = [
    f"{first}{second}" for first in ("red", "blue", "green", "grey") for second in ("fox", "owl", "elk", "ant")
] * 4
LONG = " ".join(WORDS)


@pytest.fixture(name="wood")
def _wood(desk: Desk) -> Desk:
    """Two texts that differ only behind many words, and one that holds their beginning."""
    desk.pi("p1", [f"so {LONG} stream", f"so {LONG} pond", " ".join(WORDS[:40]), "fix the retry"])
    desk.ask("index")
    return desk


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--exact", "--", f"{LONG} pond"], ["e0001"]),
        (["--exact", "--", f"{LONG[2:]} pon"], ["e0001"]),
        (["--exact", "--", f"{LONG} lake"], []),
        (["--", f'"{LONG} stream"'], ["e0000"]),
    ],
)
def test_a_long_piece_is_found_as_a_whole(wood: Desk, words: Sequence[str], found: list[str]) -> None:
    answer = wood.ask("search", "--no-sync", "--entries", *words)
    assert [item["entry_id"] for item in answer["items"]] == found


@pytest.mark.parametrize(
    "query",
    [
        "x" * 100_000,
        "é" * 50_000,
        "日" * 30_000,
        '"' * 10_000,
        '"' + "the of and to a " * 5_000 + '"',
        "a_b_c_" * 10_000,
        "kind:prompt " * 8_000 + "fix",
        "FooBar" * 10_000,
        "-> " * 30_000,
    ],
    ids=["word", "accents", "han", "quotes", "phrase", "name", "filters", "camel", "signs"],
)
@pytest.mark.parametrize("mode", [("--entries",), ("--sessions",), ("--exact",)], ids=" ".join)
def test_any_length_is_answered(wood: Desk, query: str, mode: Sequence[str]) -> None:
    assert isinstance(wood.ask("search", "--no-sync", *mode, "--", query)["items"], list)
