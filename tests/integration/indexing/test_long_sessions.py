"""A session that time did not suffice for is read in parts, and answers say so until it is through."""

import pytest

from backstory.index import reconcile
from tests.fakes.desk import Desk


def test_an_answer_says_so_until_one_long_session_is_read_to_its_end(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconcile, "WHOLE_ENTRIES", 4)
    desk.pi("long", [f"quince {number}" for number in range(10)])
    seen = [desk.ask("search", "quince", "--budget", "0", "--limit", "100") for _ in range(3)]
    assert [len(page["items"]) for page in seen] == [4, 10, 10]
    assert [page["partial"] for page in seen] == [True, False, False]
