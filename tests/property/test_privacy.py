"""Prohibited content never survives, whatever the tags around it look like; checking twice changes nothing."""

from hypothesis import given
from hypothesis import strategies as st

from backstory.privacy import classify
from backstory.privacy.policy import Guard, destination
from backstory.records.message import Message, Text, ToolCall
from backstory.records.privacy import LEVELS, Policy

GUARD = Guard(Policy(enabled=True), destination(Policy(enabled=True), "remote"))
TAGS = [f"[{slash}ds4:{level}]" for slash in ("", "/") for level in LEVELS]
words = ["\\", "[", "ds4:", "]", " ", "word", "\n", "[DS4:Normal]"]
soup = st.lists(st.sampled_from([*TAGS, *words]), max_size=14).map("".join)


@given(soup)
def test_checking_twice_changes_nothing(text: str) -> None:
    once, _ = GUARD.text(text)
    assert GUARD.text(once)[0] == once


@given(soup, soup, st.sampled_from(["sensitive", "local-only"]))
def test_the_inside_of_a_prohibited_span_is_never_shown(before: str, after: str, level: str) -> None:
    shown, _ = GUARD.text(f"{before} [ds4:{level}]CANARY[/ds4:{level}] {after}")
    assert "CANARY" not in shown


@given(soup, st.lists(soup, max_size=3), st.sampled_from(["sensitive", "local-only"]))
def test_an_open_tag_hides_its_whole_message(head: str, others: list[str], level: str) -> None:
    last = (Text(f"x {head} [ds4:{level}]"), Text("CANARY"), ToolCall("c", "f", {"CANARY": ["CANARY"]}))
    shown, _ = GUARD.message(Message("user", (*map(Text, others), *last)))
    assert "CANARY" not in str(shown)


@given(soup)
def test_levels_only_rise(text: str) -> None:
    rank = LEVELS.index
    for base in LEVELS:
        assert all(rank(segment.level) >= rank(base) for segment in classify.read(text, base).segments)
