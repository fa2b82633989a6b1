"""Name parts, CJK folding and snippets."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backstory.text.fold import spaced
from backstory.text.parts import camel_parts, searchable
from backstory.text.snippet import LENGTH, snippet


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("call parseHTTPRequest(fooBar) twice: fooBar", "parse HTTP Request foo Bar"),
        ("nothing here", ""),
        ("UPPER lower Title", ""),
        ("getX", "get X"),
        ("v2Parser", "v 2 Parser"),
        ("useÜmlautName", "mlaut Name"),
        ("x" * 90 + "Y", ""),
        ("", ""),
        ("iOS", "i OS"),
        ("HTTPServer", "HTTP Server"),
    ],
)
def test_parts_of_names(text: str, parts: str) -> None:
    assert camel_parts(text) == parts


@given(text=st.text())
def test_parts_are_pieces_of_the_text(text: str) -> None:
    raw = text.encode("utf-8", "replace").decode("utf-8", "replace")
    assert all(part in raw for part in camel_parts(text).split())


@given(text=st.text(), most=st.integers(0, 40))
@example(text="aB cD", most=1)
@example(text="aB修cD", most=3)
def test_names_behind_a_bound_are_left_whole(text: str, most: int) -> None:
    raw = text.encode("utf-8", "replace")
    stop = next((at for at in range(most, len(raw)) if not raw[at : at + 1].isalnum()), len(raw))
    folded, parts = searchable(raw, most=most)
    assert folded == spaced(raw.decode()).encode()
    assert parts.decode() == camel_parts(raw[:stop].decode("utf-8", "replace"))


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain", "plain"),
        ("修改", " 修  改 "),
        ("修改youer服务端", " 修  改 youer 服  务  端 "),
        ("データ", " デ  ー  タ "),
        ("한국", " 한  국 "),
        ("café", "café"),
        ("𠀀x", " 𠀀 x"),
        ("ﾃﾞ", " ﾃ  ﾞ "),
    ],
)
def test_every_cjk_letter_stands_alone(text: str, folded: str) -> None:
    assert spaced(text) == folded


@given(text=st.text())
@example(text="\ufdd0a\ufdd1")
def test_folding_only_adds_blanks_and_makes_marks_such(text: str) -> None:
    assert spaced(text).replace(" ", "") == re.sub("[ \ufdd0\ufdd1]", "", text)


@given(
    text=st.text(max_size=2_000),
    needles=st.lists(st.text(max_size=5), max_size=3),
    words=st.lists(st.text(max_size=5), max_size=3),
    length=st.integers(2, 300),
)
@example(text="x" * 1_000, needles=[], words=[], length=2)
def test_a_snippet_is_short_plain_and_from_the_text(
    text: str, needles: list[str], words: list[str], length: int
) -> None:
    found = snippet(text, needles, words, length)
    assert len(found) <= length
    assert not re.search(r"[\n\t\r]", found)
    assert found.strip("…") in re.sub(r"\s+", " ", text)


@given(before=st.integers(0, 3_000), after=st.integers(0, 3_000))
def test_a_snippet_shows_the_needle(before: int, after: int) -> None:
    text = "word " * before + "src/needle.py:12" + " other" * after
    found = snippet(text, ["src/needle.py:12"], ["word"])
    assert "src/needle.py:12" in found
    assert len(found) <= LENGTH
    assert found.startswith("…") == (before * 5 > LENGTH // 3)


def test_a_snippet_shows_where_most_words_stand_together() -> None:
    text = "retry " + "filler " * 200 + "the retry and the backoff together" + " filler" * 200
    assert "retry and the backoff" in snippet(text, [], ["retri", "retry", "backoff"])


@pytest.mark.parametrize(
    ("written", "token"),
    [
        ("Überraschung", "uberrasch"),
        ("naïveté", "naivet"),
        ("Ελληνικά", "ελληνικά"),
        ("データベース", "データヘース"),
        ("İstanbul", "istanbul"),
        ("straße", "straße"),
        ("Żółć", "zołc"),
    ],
)
def test_a_word_with_accents_is_shown_for_its_token_without(written: str, token: str) -> None:
    text = f"{'lorem ipsum ' * 60}{written} {'dolor sit ' * 60}"
    assert written in snippet(text, [], [token])
