"""What stored and live tables give together is bounded in the order in which FTS5 gives the rows of one table."""

import random
from collections.abc import Iterator
from contextlib import closing

import pytest

from backstory.retrieve import merging, rank, terms
from backstory.store import search, statistics
from backstory.store.history import History, open_history

WORDS = ("emu", "ibis", "kiwi", "rhea", "crane")


@pytest.fixture
def history() -> Iterator[History]:
    """Two hundred rows of words, the first of which are rarer than the last, in the index of words alone."""
    draw = random.Random(5)
    with closing(open_history(":memory:")) as history:
        with history.write("fill"):
            for id_ in range(1, 201):
                text = " ".join(draw.choices(WORDS, weights=(1, 2, 4, 30, 40), k=draw.randint(1, 60)))
                history.db.execute("INSERT INTO words (rowid, said) VALUES (?, ?)", (id_, text))
        yield history


@pytest.mark.parametrize(
    ("rare", "common"), [(("emu", "ibis"), ("rhea", "crane")), (("kiwi", "emu"), ()), (("emu",), ())]
)
def test_rows_are_weighed_as_fts5_weighs_them(history: History, rare: tuple[str, ...], common: tuple[str, ...]) -> None:
    docs = statistics.frequencies(history, "word", WORDS, terms.COUNTED)
    selecting, helping = (tuple(terms.Term(word, docs[word]) for word in part) for part in (rare, common))
    choice = terms.Choice(selecting, helping)
    match = terms.word_match(choice, WORDS)
    given = merging.plain(statistics.sizes(history, "word"), choice, terms.in_query_order(choice, WORDS))
    sql = "SELECT evidence(words, ?, ?), rank FROM words WHERE words MATCH ? ORDER BY rank"
    found = list(history.rows(sql, (bytes(match.phrases), bytes(match.pairs), match.expression)))
    assert len(found) > 20
    assert [rank.plain_score(evidence, given) for evidence, _ in found] == [pytest.approx(-score) for _, score in found]


def test_the_tokens_of_all_columns_count(history: History) -> None:
    history.db.execute(
        "INSERT INTO literal (rowid, said, result, parts) VALUES (1, 'one two', 'three', 'four five six')"
    )
    assert statistics.sizes(history, "literal") == (1, 6)


def test_nothing_is_left_out_where_nothing_is_live(history: History) -> None:
    rows = [search.WordRow(id_, 1, bytes([1]) + (5).to_bytes(4)) for id_ in range(10)]
    choice = terms.Choice((terms.Term("emu", 10),), ())
    assert merging.merged(history, "word", choice, ["emu"], rows, terms.Reach(3)) == rows
    history.live = True
    newest = merging.merged(history, "word", choice, ["emu"], rows, terms.Reach(3, ranked=False))
    assert [row.id for row in newest] == [9, 8, 7]
