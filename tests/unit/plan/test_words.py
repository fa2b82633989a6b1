"""An index of words that is asked again and again while it grows."""

from hypothesis import given
from hypothesis import strategies as st

from backstory.plan.evidence.words import Words

TEXTS = st.lists(st.sampled_from(["lock", "locked", "file_lock", "file", "lock2go unlock", "block", "x"]), min_size=1)
ASKED = st.tuples(st.sampled_from(["lock", "file", "file_lock", "fi-lo", "-"]), st.integers(0, 12), st.integers(0, 5))


@given(TEXTS, st.lists(ASKED, max_size=8), st.lists(ASKED, max_size=8))
def test_what_is_found_does_not_depend_on_what_was_asked_before(
    texts: list[str], before: list[tuple[str, int, int]], after: list[tuple[str, int, int]]
) -> None:
    asked = Words()
    for passage, text in enumerate(texts):
        asked.add(passage, text)
        for term, until, most in before:
            asked.holding(term, until, most)
    kept = Words.restored(asked.dump())
    for term, until, most in [*before, *after]:
        fresh = Words.restored(asked.dump())
        assert list(asked.holding(term, until, most)) == list(fresh.holding(term, until, most))
        assert list(kept.holding(term, until, most)) == list(fresh.holding(term, until, most))
