"""A word is found with and without its accents, in any script."""

import pytest

from tests.integration.conftest import Desk


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("η άνοιξη ήρθε νωρίς", "ανοιξη"),
        ("η άνοιξη ήρθε νωρίς", "ΝΩΡΙΣ"),
        ("η ανοιξη ηρθε", "άνοιξη"),
        ("ёлка стоит", "елка"),
        ("елка стоит", "ёлка"),
        ("le perché du naïf", "perche"),
        ("le perche du naif", "naïf"),
    ],
)
def test_accents_do_not_keep_a_word_from_being_found(desk: Desk, said: str, typed: str) -> None:
    desk.pi("p1", [said, "nothing of that kind"])
    assert [hit["snippet"] for hit in desk.hits(typed)] == [said]


def test_a_word_that_is_there_as_it_stands_goes_before_its_kin(desk: Desk) -> None:
    desk.pi("p1", ["η άνοιξη ήρθε", "η ανοιξη ηρθε"])
    assert [hit["snippet"] for hit in desk.hits("ανοιξη")] == ["η ανοιξη ηρθε"]
