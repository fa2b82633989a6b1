"""Prohibited content never survives, whatever the tags around it look like; checking twice changes nothing."""

from hypothesis import example, given
from hypothesis import strategies as st

from backstory.privacy import classify
from backstory.privacy.payload import sanitise
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
@example("[ds4:normal][/ds4:internal]", "[/ds4:normal]", "sensitive")
@example("[ds4:normal] a [/ds4:internal] b", "c [/ds4:local-only] d [/ds4:normal]", "local-only")
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


@given(st.lists(st.tuples(soup, st.sampled_from(LEVELS)), max_size=6))
def test_what_a_guard_looked_at_before_changes_nothing(texts: list[tuple[str, str]]) -> None:
    used = Guard(GUARD.policy, GUARD.target)
    for text, floor in [*texts, *texts]:
        assert used.text(text, floor=floor) == Guard(GUARD.policy, GUARD.target).text(text, floor=floor)


@given(st.lists(soup, min_size=1, max_size=4))
def test_a_payload_is_raised_by_broken_tags_anywhere_in_it(texts: list[str]) -> None:
    rank = LEVELS.index
    floor = max((classify.read(text).floor for text in texts), key=rank)
    assert classify.floor(texts) == floor
    shown, _ = sanitise({"metadata": [{text: [1]} for text in texts], "content": "CANARY"}, GUARD)
    assert ("CANARY" in str(shown)) == (floor in GUARD.target.allowed)
