"""Every statement that finds literal pieces can be asked of live sessions, and ranges of rows are joined where near."""

import re
from typing import Any

import pytest

from backstory.store import pieces, search
from backstory.store.history import open_history
from backstory.store.live import Overlay
from backstory.store.statements import live


@pytest.mark.parametrize("name", ["matching", "places", "texts", "scanned", "scanned_of"])
def test_literal_pieces_can_be_looked_for_in_live_sessions(name: str) -> None:
    history = open_history(":memory:")
    Overlay(history, str.encode)
    text = live(search.visible(history, getattr(pieces.SQL, name), search.NOTHING))
    assert "live_" in text
    given: Any = dict.fromkeys(re.findall(r":(\w+)", text)) or [None] * text.count("?")
    history.db.execute(f"EXPLAIN {text}", given)


def test_ranges_are_joined_where_little_lies_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "GAP", 3)
    assert pieces.joined([(20, 25), (1, 4), (7, 9), (2, 3), (13, 14)]) == [(1, 9), (13, 14), (20, 25)]
    assert pieces.joined([]) == []
