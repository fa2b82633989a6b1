"""A session is forgotten while another process reads it, or half: it does not come back either way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backstory.engine.host.hosted import hosted
from backstory.engine.open import open_engine
from backstory.engine.upkeep import forget, rebuild
from backstory.errors import UnknownSessionError
from backstory.index.sync import Sync
from backstory.records.host import HostCall
from backstory.store import browse, ledger
from tests.fakes import logs
from tests.fakes.desk import Desk


@pytest.fixture
def two(desk: Desk) -> Desk:
    """Two indexed sessions, the first of which has grown since."""
    path = desk.pi("p1", ["the quince is ripe", "so pick it"])
    desk.pi("p2", ["another quince"])
    desk.ask("index")
    desk.put(path, path.read_bytes() + logs.line(logs.pi_entry(2, "a late quince")))
    return desk


def found(desk: Desk, *words: str) -> set[str]:
    """The sessions in which a search finds something."""
    return {hit["session_id"] for hit in desk.hits("quince", *words)}


def before(monkeypatch: pytest.MonkeyPatch, place: Any, name: str, act: Callable[[], object]) -> None:
    """Acts once before something of ours runs."""
    real = getattr(place, name)

    def first(*args: Any, **more: Any) -> Any:
        monkeypatch.setattr(place, name, real)
        act()
        return real(*args, **more)

    monkeypatch.setattr(place, name, first)


def test_by_a_pass_that_had_looked_already(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before(monkeypatch, Sync, "run", lambda: two.ask("forget", "p1"))
    two.ask("index")
    assert found(two, "--no-sync") == {"p2"}


def test_by_a_rebuild_that_had_read_it(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before(monkeypatch, rebuild, "swap", lambda: two.ask("forget", "p1"))
    two.ask("rebuild")
    assert found(two, "--no-sync") == {"p2"}
    assert two.ask("storage")["missing"] == 0


def test_while_a_rebuild_puts_another_index_in_place(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before(monkeypatch, ledger, "append", lambda: two.ask("rebuild"))
    assert two.ask("forget", "p1")["sessions"] == ["pi:p1"]
    assert found(two, "--no-sync") == {"p2"}


def test_by_a_process_that_was_killed_halfway(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(browse, "forget", stopped)
        assert two.run("forget", "p1").code == 130
    assert found(two) == {"p2"}


def test_while_a_copy_of_it_is_taken_in(two: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two.put(tmp_path / "backup" / "p1.jsonl", logs.pi("p1", ["the quince is ripe"]))
    before(monkeypatch, forget, "_drop", lambda: two.ask("index", "--root", f"pi={tmp_path / 'backup'}"))
    assert two.ask("forget", "p1")["sessions"] == ["pi:p1"]
    assert found(two, "--no-sync") == {"p2"}


@pytest.mark.parametrize("name", ["p1", "file"])
def test_by_a_host_that_has_it_open(two: Desk, name: str) -> None:
    path = two.pi_folder / "p1.jsonl"
    call = HostCall(session="p1", file=str(path), cwd=logs.HOME)
    with open_engine(two.data, env=two.env()) as engine:
        assert hosted(engine, call).context.row.session_id == "p1"
        two.ask("forget", str(path) if name == "file" else name)
        two.put(path, path.read_bytes() + logs.line(logs.pi_entry(3, "one more quince")))
        with pytest.raises(UnknownSessionError):
            hosted(engine, call)
    assert found(two, "--no-sync") == {"p2"}
    assert two.ask("sessions")["items"][0]["session_id"] == "p2"
