"""The words of a request that a project is searched for."""

import pytest

from backstory.retrieve.project.words import ASKING_WEIGHT, pairs, said, selecting, specific, words
from backstory.retrieve.task import Task, describe
from backstory.text.identifiers import compound, joined, parts
from tests.fakes.stemmer import stem


def test_identifiers_come_apart_and_together() -> None:
    assert parts("parseHTTPRequest_v2") == ("parse", "http", "request", "v", "2")
    assert joined("foo_bar") == joined("fooBar") == "foobar"
    assert compound("fooBar")
    assert not compound("foo")


def test_spellings_meet() -> None:
    for spelling in ("parse_request", "parseRequest", "ParseRequest"):
        found = words(spelling, describe(spelling), stem)
        assert ("parserequest", "parse request") in [word.phrases for word in found]
        assert {word.phrases[0] for word in found if word.simple} == {"parse", "request"}


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("cursor", False),
        ("fix cursor", False),
        ("cursor pages", True),
        ("`x1`", True),
        ("a.py", True),
        ("per favore", False),
    ],
)
def test_a_lone_word_is_not_enough(text: str, enough: bool) -> None:  # noqa: FBT001
    task = describe(text)
    assert specific(task, words(text, task, stem)) is enough


@pytest.mark.parametrize(
    ("text", "enough"),
    [("cursor", True), ("fix lint", True), ("small fix", True), ("fix", False), ("check resume", False), ("", False)],
)
def test_some_words_say_something_all_the_same(text: str, enough: bool) -> None:  # noqa: FBT001
    assert said(words(text, Task(), stem)) is enough


def test_noise_counts_little_and_repetition_more() -> None:
    found = {word.shown: word.weight for word in words("fix fix cursor cursor pages", Task(), stem)}
    assert found["fix"] < found["pages"] < found["cursor"]


def test_words_of_asking_count_in_source_but_tell_nothing() -> None:
    found = {word.shown: word.weight for word in words("please check why resume prints the lease", Task(), stem)}
    assert found["check"] == found["resume"] == ASKING_WEIGHT
    assert found["lease"] == 1
    assert not {"please", "why", "the"} & found.keys()
    assert not specific(Task(), words("check resume", Task(), stem))


def test_words_side_by_side_are_told_across_grammar() -> None:
    text = "truncate by runes, then truncate runes: a parseLine of a lease lease"
    found = words(text, Task(), stem)
    shown = [(found[left].shown, found[right].shown) for left, right in pairs(text, found, stem)]
    assert shown == [("truncate", "runes"), ("runes", "truncate")]


def test_rare_words_select_within_the_budget() -> None:
    found = words("alpha beta gamma delta", Task(), stem)
    for word, docs in zip(found, (10, 500, 2, 0), strict=True):
        word.docs = docs
    assert [word.shown for word in selecting(found, 100, 9)] == ["gamma", "alpha"]
    assert [word.shown for word in selecting(found, 1, 9)] == ["gamma"]
