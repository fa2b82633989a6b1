"""Two calls are compared item by item, by what each item is."""

from pathlib import Path

import msgspec

from backstory.plan.diff import diff
from backstory.records.manifest import Line, Manifest

HARBOUR = Path(__file__).parents[2] / "fixtures" / "manifests" / "harbour.json"


def made(name: str, session: str, tokens: int, *lines: Line) -> Manifest:
    whole = msgspec.json.decode(HARBOUR.read_bytes(), type=Manifest)
    return msgspec.structs.replace(whole, id=name, session=session, estimated_input=tokens, included=lines)


def entry(seq: int, content: str = "") -> Line:
    return Line("recent", 10, "", f"e{seq}", seq, hash=content or f"h{seq}")


PIN, CARD = Line("pin", 5, "", "p1", hash="p"), Line("card", 7, "", "card", hash="c")


def test_what_is_in_both_calls_is_kept_and_the_rest_is_named() -> None:
    found = diff(made("a", "pi:s", 30, PIN, entry(1), entry(2)), made("b", "pi:s", 45, PIN, entry(2), entry(3), CARD))
    assert (found.kept, found.tokens, found.prefix, found.prefix_tokens) == (2, 15, 1, 5)
    assert [line.source for line in found.added] == ["e3", "card"]
    assert [line.source for line in found.removed] == ["e1"]


def test_a_message_of_other_content_ends_what_a_cache_still_has() -> None:
    found = diff(made("a", "pi:s", 20, entry(1), entry(2)), made("b", "pi:s", 20, entry(1), entry(2, "shortened")))
    assert (found.kept, found.prefix, found.added, found.removed) == (2, 1, (), ())


def test_entries_of_different_sessions_are_different_whatever_their_numbers() -> None:
    found = diff(made("a", "pi:s", 20, PIN, CARD, entry(1)), made("b", "pi:t", 20, PIN, CARD, entry(1)))
    assert found.kept == 1
    assert [line.source for line in found.added] == [line.source for line in found.removed] == ["card", "e1"]
