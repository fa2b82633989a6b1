"""What a row is worth, and how rows make up sessions and entries."""

import pytest

from backstory.retrieve import rank
from backstory.store.history import open_history


def told(counts: list[int], length: int) -> bytes:
    return bytes(counts) + length.to_bytes(4)


def row(session: int, score: float, seq: int = 0, dated: float = 0.0) -> rank.Row:
    return rank.Row(session, seq, rank.RowScore(score, score), dated)


def test_rarer_terms_more_occurrences_and_shorter_rows_are_worth_more() -> None:
    given = rank.weights(1_000, [5, 300], ())
    rare, common = (rank.row_score(told(counts, 60), given).entry for counts in ([1, 0], [0, 1]))
    assert rare > common > 0
    assert rank.row_score(told([2, 0], 60), given).entry > rare > rank.row_score(told([1, 0], 600), given).entry


def test_neighbours_are_worth_more() -> None:
    given = rank.weights(1_000, [5, 30], (0,))
    assert rank.row_score(told([1, 1, 1], 60), given).entry > rank.row_score(told([1, 1, 0], 60), given).entry


def test_short_rows_count_as_longer_ones_more_so_between_entries() -> None:
    given = rank.weights(1_000, [5], ())
    short, floor, session = (rank.row_score(told([1], length), given) for length in (3, 50, 30))
    assert short.entry == floor.entry
    assert short.session == session.session > floor.session


def test_what_a_person_typed_decides_between_rows_that_say_the_same() -> None:
    given = rank.weights(1_000, [5, 30], (0,))
    typed, told_by_an_agent = (rank.row_score(told([1, 1, 0], 20), given, typed=typed) for typed in (True, False))
    assert typed.entry > told_by_an_agent.entry
    assert typed.session > told_by_an_agent.session
    assert rank.row_score(told([1, 1, 1], 20), given).entry > typed.entry


def test_what_a_person_typed_counts_more_where_one_word_is_all_there_is() -> None:
    alone, beside = (rank.weights(1_000, [5], (), alone=alone) for alone in (True, False))
    shares = [
        rank.row_score(told([1], 20), given, typed=True).entry / rank.row_score(told([1], 20), given).entry
        for given in (alone, beside)
    ]
    assert shares[0] > shares[1] > 1


def test_words_that_stand_in_for_one_count_once() -> None:
    given = rank.weights(1_000, [5, 30, 9], (), alike=[(0, 1)])
    both, rare, common = (rank.row_score(told(counts, 60), given) for counts in ([1, 1, 0], [1, 0, 0], [0, 1, 0]))
    assert both == rare
    assert rare.entry > common.entry > 0
    assert rank.row_score(told([1, 1, 1], 60), given).entry > both.entry


def test_a_word_that_every_row_holds_is_worth_nothing_much() -> None:
    assert rank.row_score(told([9], 60), rank.weights(10, [10], ())).entry < 0.2


def test_the_best_row_of_a_session_counts_most() -> None:
    scores = rank.session_scores([row(1, 4.0), row(2, 3.0), row(2, 3.0), row(2, 3.0)], {})
    assert scores[1] == pytest.approx(4 / (3 * (1 + 0.4 + 0.16)))
    assert scores[2] == 1.0


def test_conversations_lift_sessions_and_entries() -> None:
    assert rank.session_scores([row(1, 1.0)], {2: 9.0}) == {1: 1.0, 2: rank.SESSION_WEIGHT}
    scores = rank.entry_scores({1: row(1, 1.0), 5: row(2, 1.0)}, {}, {2: 9.0})
    assert scores[5] - scores[1] == pytest.approx(rank.ENTRY_SESSION_WEIGHT)


def test_a_word_of_nearly_half_of_the_conversations_still_says_something_of_them() -> None:
    gains = rank.weights(100, [49, 2], ()).gains
    common, rare, both = (rank.passage_score(told(counts, 900), gains, 900.0) for counts in ([1, 0], [0, 1], [1, 1]))
    assert rare > common > rare / 10
    assert both == pytest.approx(common + rare)


def test_more_occurrences_of_a_word_count_longer_in_a_conversation_than_in_a_row() -> None:
    given = rank.weights(100, [5], ())
    once, often = (rank.passage_score(told([count], 900), given.gains, 900.0) for count in (1, 20))
    first, more = (rank.row_score(told([count], rank.PIVOT), given).entry for count in (1, 20))
    assert often / once > more / first > 1


def test_what_was_said_in_the_time_a_query_names_counts_more() -> None:
    assert rank.session_scores([row(1, 1.0), row(2, 1.0, 3, 1.0), row(2, 0.0, 4)], {})[2] > 1 + rank.DATE_WEIGHT / 2
    scores = rank.entry_scores({1: row(1, 1.0), 2: row(2, 0.9, dated=1.0), 3: row(3, 0.9, dated=0.5)}, {}, {})
    assert scores[2] > scores[3] > scores[1]


def test_the_parts_of_a_score_are_its_sum() -> None:
    given = rank.weights(1_000, [5, 30, 9], (1,), alike=[(0, 2)])
    for counts, typed in (([1, 2, 1, 1], True), ([0, 1, 3, 0], False), ([0, 0, 0, 0], True)):
        score = rank.row_score(told(counts, 20), given, typed=typed)
        assert score.entry == pytest.approx(sum(score.parts))
        assert score.parts[2] == 0.0, "words that stand in for one word share a part"


def test_evidence_is_counted_from_positions() -> None:
    history = open_history(":memory:")
    history.db.execute("INSERT INTO words (rowid, said) VALUES (1, 'alpha beta alpha x y z beta'), (2, 'beta')")
    sql = "SELECT rowid, evidence(words, x'0001', x'00') FROM words WHERE words MATCH 'alpha OR beta' ORDER BY rowid"
    assert dict(history.db.execute(sql)) == {1: told([2, 2, 1], 7), 2: told([0, 1, 0], 1)}
    history.db.execute("INSERT INTO words (rowid, said) VALUES (3, ?)", ("gamma " * 300,))
    [(found,)] = history.db.execute("SELECT evidence(words, x'00', x'') FROM words WHERE words MATCH 'gamma'")
    assert found == told([255], 300)
    history.close()
