"""What redaction hid is shown from the log itself, and only where the log says what was indexed."""

from pathlib import Path

import pytest

from backstory import open_engine
from backstory.engine.sessions import browse
from backstory.errors import UnreadableSourceError
from backstory.records.browsing import ShowRequest
from tests.fakes import logs
from tests.fakes.desk import Desk

KEY = "AKIA" + "Q7ZX5T3LMN4VWY2B"


@pytest.fixture
def log(desk: Desk) -> Path:
    path = desk.pi("p1", [f"the key is {KEY}", "noted"])
    desk.ask("index")
    return path


def shown(desk: Desk, *, reveal: bool = True) -> list[str | None]:
    with open_engine(desk.data, env=desk.env()) as engine:
        page = browse.show(engine, ShowRequest(session="p1", reveal=reveal, no_sync=True))
    return [one.text for one in page.entries]


@pytest.mark.usefixtures("log")
def test_hidden_text_is_shown_from_the_log(desk: Desk) -> None:
    hidden = shown(desk, reveal=False)
    assert KEY not in str(hidden)
    assert shown(desk) == [f"the key is {KEY}", "noted"]


def test_a_record_that_says_something_else_by_now_stays_as_it_was_indexed(desk: Desk, log: Path) -> None:
    hidden = shown(desk, reveal=False)
    logs.write(log, logs.pi("p1", [f"another key is {KEY}", "noted"]))
    assert shown(desk) == hidden


def test_a_log_that_lost_records_reveals_the_others(desk: Desk, log: Path) -> None:
    logs.write(log, logs.pi("p1", [f"the key is {KEY}"]))
    assert shown(desk) == [f"the key is {KEY}", "noted"]


@pytest.mark.parametrize("left", [None, b""], ids=["gone", "empty"])
def test_a_log_that_cannot_be_read_is_told(desk: Desk, log: Path, left: bytes | None) -> None:
    log.unlink() if left is None else log.write_bytes(left)
    with pytest.raises(UnreadableSourceError):
        shown(desk)
