"""Expressions for the index stay small however long a text is."""

from backstory.text.match import LONGEST_PHRASE, phrase


def test_a_phrase_holds_the_first_tokens_of_a_long_text() -> None:
    tokens = [f"t{at}" for at in range(10_000)]
    assert phrase(tokens[:3]) == '"t0 t1 t2"'
    assert phrase(tokens) == phrase(tokens[:LONGEST_PHRASE])
