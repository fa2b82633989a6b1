"""What a typed query is taken for, and how it is quoted for the index."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.text.match import any_of, in_columns, quoted, two_tier
from backstory.text.query import FILTERS, Query, parse


@pytest.mark.parametrize(
    ("text", "words", "names"),
    [
        ("why drop the retry", ("why", "drop", "the", "retry"), ()),
        ("foo_bar", ("foo_bar",), ("foo_bar",)),
        ("src/a.py:12", ("src/a.py:12",), ("src/a.py:12",)),
        ("--flag", ("--flag",), ("--flag",)),
        ("E0401", ("E0401",), ("E0401",)),
        ("don't", ("don't",), ("don't",)),
        ("c++", ("c++",), ("c++",)),
        ("C#", ("C#",), ("C#",)),
        ("#123", ("#123",), ("#123",)),
        (".env", (".env",), (".env",)),
        ("status:500", ("status:500",), ("status:500",)),
        ("50%", ("50%",), ("50%",)),
        ("$HOME", ("$HOME",), ("$HOME",)),
        ("~/notes", ("~/notes",), ("~/notes",)),
        ("a@b.c", ("a@b.c",), ("a@b.c",)),
        ("rm -rf", ("rm", "-rf"), ("-rf",)),
        ("error-401", ("error-401",), ("error-401",)),
        ("wrong-book OR x", ("wrong-book", "OR", "x"), ("wrong-book",)),
        ("parseHTTPRequest", ("parseHTTPRequest",), ("parseHTTPRequest",)),
        ("(foo_bar)", ("(foo_bar)",), ("foo_bar",)),
        ("see foo.bar, please.", ("see", "foo.bar,", "please."), ("foo.bar",)),
        ("NEAR(", ("NEAR(",), ()),
        ("*", ("*",), ()),
        ("🚀", ("🚀",), ()),
        ("!?...", ("!?...",), ()),
        ("http://x.y/z", ("http://x.y/z",), ("http://x.y/z",)),
        ("path://x", ("path://x",), ("path://x",)),
        ("agent:", ("agent:",), ()),
        ("c1", ("c1",), ("c1",)),
        ("(_", ("(_",), ()),
        ("a_" * 100, ("a_" * 100,), ("a_" * 100,)),
        ("a_" * 100 + "b", ("a_" * 100 + "b",), ()),
    ],
)
def test_words_and_names(text: str, words: tuple[str, ...], names: tuple[str, ...]) -> None:
    found = parse(text)
    assert (found.words, found.names, found.filters, found.phrases) == (words, names, (), ())


@pytest.mark.parametrize(
    ("text", "phrases", "words"),
    [
        ('"exact  phrase"', ("exact phrase",), ()),
        ('say "this" and "that one"', ("this", "that one"), ("say", "and")),
        ('an "open quote', (), ("an", '"open', "quote")),
        ('""', (), ()),
        ('" "', (), ()),
        ('a"b', (), ('a"b',)),
    ],
)
def test_what_is_quoted_is_a_phrase(text: str, phrases: tuple[str, ...], words: tuple[str, ...]) -> None:
    found = parse(text)
    assert (found.phrases, found.words) == (phrases, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('File "a.py", line 3\nno "such table"', ("File", "a.py", ",", "line", "3", "no", "such", "table")),
        ('say "this\nand that"', ("say", "this", "and", "that")),
        ('"""\n', ('"',)),
    ],
)
def test_the_quotes_of_what_was_pasted_ask_for_nothing(text: str, words: tuple[str, ...]) -> None:
    found = parse(text)
    assert (found.text, found.words, found.phrases) == (text, words, ())


@pytest.mark.parametrize("key", sorted(FILTERS))
def test_a_known_key_before_a_colon_is_a_filter(key: str) -> None:
    assert parse(f"{key}:value word") == Query(f"{key}:value word", ("word",), (), (), ((key, "value"),))
    assert parse(f'{key}:"two words"').filters == ((key, "two words"),)


@given(text=st.text())
def test_every_text_is_a_query_and_keeps_what_it_does_not_understand(text: str) -> None:
    found = parse(text)
    assert found.text == text
    assert all(word in text for word in found.words)
    assert all(any(name in word for word in found.words) for name in found.names)


@given(text=st.text(max_size=30))
def test_quoting_hides_every_character(text: str) -> None:
    inner = quoted(text)[1:-1]
    assert quoted(text)[0] == quoted(text)[-1] == '"'
    assert inner.replace('""', "").count('"') == 0
    assert inner.replace('""', '"') == text


def test_expressions_quote_each_word() -> None:
    assert any_of(["a", 'b"c']) == '"a" OR "b""c"'
    assert two_tier(["a"], []) == '"a"'
    assert two_tier(["a", "b"], ["c"]) == '("a" OR "b") OR (("a" OR "b") AND ("c"))'
    assert in_columns(("said", "result"), '"a"') == '{said result} : ("a")'


def test_telling_words_are_those_that_not_every_text_holds() -> None:
    assert parse('why did "we do it" Drop the retry?').telling == ("Drop", "retry?")
    assert parse("what is it?").telling == ()
