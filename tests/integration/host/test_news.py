"""What a host's process does in quiet moments, and that trust is asked of the host on every call."""

import json
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

from backstory.engine.host import commands, contexts
from backstory.engine.host.host import Host
from backstory.engine.host.news import indexed_root
from backstory.engine.open import open_engine
from backstory.engine.project import access
from backstory.engine.upkeep.rebuild import rebuild
from backstory.errors import CancelledError, DatabaseError, FullDiskError, ReadOnlyDatabaseError
from backstory.plan.explain import explain
from backstory.records.budget import Model, Usage
from backstory.records.host import HostCall, Say
from backstory.records.indexing import RebuildRequest
from backstory.records.protocol import Answered, Changed, ContextAnswer, ContextRequest, Initialize, SessionNews
from backstory.store import manifests
from backstory.store.history import History, open_history
from backstory.store.project import contents
from backstory.store.project.database import ProjectStore


class Place:
    """A project with a session in it, and the process beside the host."""

    def __init__(self, root: Path, host: Host) -> None:
        self.host = host
        self.root = root / "project"
        self.root.mkdir()
        (self.root / "ledger.py").write_text("def reconcile_ledger(rows):\n    return sorted(rows)\n", encoding="utf-8")
        self.log = root / "session.jsonl"
        header = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-29T10:00:00.000Z"}
        said = [{"type": "text", "text": "where is reconcile_ledger defined?"}]
        entry = {"type": "message", "id": "0000aaaa", "parentId": None, "timestamp": "2026-11-29T10:00:01.000Z"}
        self.line = json.dumps({**entry, "message": {"role": "user", "content": said, "timestamp": 1}})
        self.log.write_text(f"{json.dumps({**header, 'cwd': str(self.root)})}\n{self.line}\n", encoding="utf-8")

    def call(self, **more: Any) -> HostCall:
        """The state of the host."""
        state: dict[str, Any] = {
            "session": "s",
            "file": str(self.log),
            "leaf": "0000aaaa",
            "cwd": str(self.root),
            "trusted": True,
        }
        return HostCall(**(state | {"model": Model("mock", "m", 100_000, 1_000)} | more))

    def rest(self) -> None:
        """A quiet moment, long enough for everything."""
        while self.host.idle(lambda: False):
            pass
        assert self.host.engine.failed == {}

    def context(
        self, *, base: str | None = None, instead: bool = False, switch: Any = None, **more: Any
    ) -> ContextAnswer:
        """The plan of the next call."""
        name = f"0000aaaa:{sha256(self.line.encode()).hexdigest()[:16]}"
        return self.host.context(
            ContextRequest(self.call(**more), 0, (name,), base=base, instead=instead, switch=switch)
        )

    @property
    def indexed(self) -> bool:
        """Whether the project has an index."""
        return access.database(self.host.engine.home, self.root).exists()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("BACKSTORY_HOME", str(tmp_path / "data"))
    with open_engine() as engine:
        yield Place(tmp_path, Host(engine))


def test_a_session_and_its_project_are_read_when_it_starts(place: Place) -> None:
    place.host.initialize(Initialize())
    place.host.session(SessionNews(place.call(), "start"))
    place.rest()
    assert place.indexed
    assert manifests.listed(place.host.engine.history, None, 10) == []
    answer = place.context()
    assert answer.edits is not None
    assert "reconcile_ledger(rows)" in json.dumps(answer.edits)
    assert list(answer.edits[-1]) == ["keep"]


@pytest.mark.parametrize("more", [{"trusted": False}, {"ephemeral": True, "file": None}])
def test_nothing_is_read_of_a_project_that_the_host_does_not_trust(place: Place, more: dict[str, Any]) -> None:
    place.host.session(SessionNews(place.call(**more), "start"))
    place.host.changed(Changed(place.call(**more)))
    place.rest()
    assert not place.indexed


def test_trust_that_was_taken_back_counts_at_once(place: Place) -> None:
    place.host.session(SessionNews(place.call(), "start"))
    place.rest()
    assert place.context().edits is not None
    assert place.context(trusted=False).edits is None


def test_what_a_tool_wrote_is_found_by_the_next_call(place: Place) -> None:
    place.host.session(SessionNews(place.call(), "start"))
    place.rest()
    (place.root / "ledger.py").write_text("def reconcile_ledger(rows, strict):\n    return rows\n", encoding="utf-8")
    (place.root / "new.py").write_text("def brand_new():\n    pass\n", encoding="utf-8")
    place.host.changed(Changed(place.call(), ("ledger.py", str(place.root / "new.py"))))
    place.rest()
    assert "rows, strict" in json.dumps(place.context().edits)
    with ProjectStore(str(access.database(place.host.engine.home, place.root)), read_only=True) as store:
        assert [row[0] for row in contents.files(store, "", 10)] == ["ledger.py", "new.py"]


def test_paths_outside_are_no_reason_to_read_there(place: Place) -> None:
    place.host.session(SessionNews(place.call(), "start"))
    place.rest()
    place.host.changed(Changed(place.call(), ("../elsewhere.py", "/etc/passwd")))
    place.rest()
    with ProjectStore(str(access.database(place.host.engine.home, place.root)), read_only=True) as store:
        assert [row[0] for row in contents.files(store, "", 10)] == ["ledger.py"]


def test_switched_off_it_only_listens(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKSTORY_MODE", "off")
    place.host.session(SessionNews(place.call(), "start"))
    place.rest()
    assert place.context() == ContextAnswer()
    assert not place.indexed


def test_a_call_is_kept_once_the_host_goes_on(place: Place) -> None:
    first = place.context().manifest
    place.rest()
    history = place.host.engine.history
    assert manifests.listed(history, None, 10) == []
    second = place.context().manifest
    assert [one.id for one in manifests.listed(history, None, 10)] == [first]
    assert place.host.holds
    place.host.finish()
    assert [one.id for one in manifests.listed(history, None, 10)] == [second, first]


def test_a_call_that_is_taken_back_or_comes_too_late_is_not_kept(place: Place) -> None:
    history = place.host.engine.history
    assert place.context().manifest
    made = place.context(instead=True).manifest
    place.host.finish()
    assert [one.id for one in manifests.listed(history, None, 10)] == [made]
    place.host.begin(None)
    place.host.cancel()
    with pytest.raises(CancelledError):
        place.context()
    place.host.end()
    place.host.finish()
    assert [one.id for one in manifests.listed(history, None, 10)] == [made]


def test_a_plan_that_cannot_be_told_is_not_kept(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise ValueError("the plan would break the list")

    monkeypatch.setattr(contexts, "edits", refused)
    with pytest.raises(ValueError, match="break the list"):
        place.context()
    place.host.finish()
    assert manifests.listed(place.host.engine.history, None, 10) == []


def test_what_the_host_has_been_told_is_named_by_number(place: Place) -> None:
    place.host.session(SessionNews(place.call(), "start"))
    place.rest()
    plain = place.context()
    assert plain.edits is not None
    assert place.context(base=plain.manifest).edits == plain.edits
    place.host.initialize(Initialize(capabilities=("again",)))
    first = place.context()
    again = place.context(base=first.manifest)
    assert again.edits == ({"again": 0}, {"keep": 1})
    assert place.context(base="another").edits == plain.edits


def test_how_the_model_was_chosen_is_told_of_the_call(place: Place) -> None:
    history = place.host.engine.history
    for switch in (None, "cycle"):
        made = place.context(switch=switch).manifest
        place.host.finish()
        kept = manifests.get(history, str(made))
        assert kept is not None
        assert kept.switch is not None
        assert kept.switch.source == (switch or "context")


def test_what_the_provider_counted_is_kept_with_the_manifest(place: Place) -> None:
    answer = place.context()
    assert answer.manifest is not None
    place.host.answered(Answered(place.call(), answer.manifest, Usage(120, 30)))
    kept = manifests.get(place.host.engine.history, answer.manifest)
    assert kept is not None
    assert kept.usage is not None
    assert (kept.usage.input, kept.usage.cache_read) == (120, 30)


@pytest.mark.parametrize("ephemeral", [False, True])
def test_a_call_that_was_only_observed_teaches_nothing_of_plans(
    place: Place, monkeypatch: pytest.MonkeyPatch, *, ephemeral: bool
) -> None:
    """What the provider counted is the host's own list, not the shorter one that was planned."""
    engine = place.host.engine
    for mode, samples in [("observe", 0), ("active", 1)]:
        monkeypatch.setitem(engine.env, "BACKSTORY_MODE", mode)
        name = place.context(ephemeral=ephemeral).manifest or ""
        place.host.answered(Answered(place.call(ephemeral=ephemeral), name, Usage(150)))
        made = engine.unsaved.get(name) or manifests.get(engine.history, name)
        assert made is not None
        assert made.usage == Usage(150)
        assert made.observed == (mode == "observe")
        assert any("only observed" in line for line in explain(made)) == made.observed
        key = f"mock/m@{made.estimator}"
        assert len([*manifests.samples(engine.history, key, 9), *engine.unsaved.samples(key)]) == samples
        assert manifests.reported(engine.history, "pi:s") == (samples > 0 and not ephemeral)


def test_an_index_that_another_process_replaced_is_used_from_the_next_call_on(place: Place) -> None:
    first = place.context()
    place.host.answered(Answered(place.call(), first.manifest or "", Usage(10)))
    with open_engine() as other:
        rebuild(other, RebuildRequest())
        replaced = other.history.instance()
    place.host.begin(None)
    second = place.context()
    place.host.begin(None)  # the manifest of the last call is not kept yet: the database stays
    place.host.answered(Answered(place.call(), second.manifest or "", Usage(10)))
    place.host.end()
    assert place.host.engine.history.instance() == replaced
    with open_engine() as other:
        assert [one.id for one in manifests.listed(other.history, None, 10)] == [second.manifest, first.manifest]


@pytest.mark.parametrize("wal", [False, True], ids=["an empty file", "no tables"])
def test_an_index_that_another_process_is_making_is_waited_for(place: Place, *, wal: bool) -> None:
    """Between making the file and its tables: nobody who only reads may fail on what lies there."""
    path = access.database(place.host.engine.home, place.root)
    path.parent.mkdir(parents=True)
    for ask in (
        lambda: indexed_root(place.host, place.call()),
        lambda: place.context().edits,
        lambda: access.status(place.host.engine.home, place.root, trusted=True).indexed,
    ):
        path.unlink(missing_ok=True)
        path.touch()
        if wal:
            with closing(apsw.Connection(str(path))) as half:
                half.execute("PRAGMA journal_mode=WAL")
        assert not ask()


@pytest.mark.parametrize("why", [ReadOnlyDatabaseError, FullDiskError])
def test_an_index_that_could_only_be_read_is_written_once_it_can_be(
    place: Place, monkeypatch: pytest.MonkeyPatch, why: type[DatabaseError]
) -> None:
    def opened(path: str, *, read_only: bool = False) -> History:
        if read_only:
            return open_history(path, read_only=True)
        raise why(f"{path}: a passing trouble")

    with open_engine() as other:
        assert other.history
    with monkeypatch.context() as patch:
        patch.setattr("backstory.engine.open.open_history", opened)
        assert place.host.engine.history.db.readonly("main")
    place.host.begin(None)
    first = place.context()
    place.host.answered(Answered(place.call(), first.manifest or "", Usage(10)))
    assert [one.id for one in manifests.listed(place.host.engine.history, None, 10)] == [first.manifest]


def test_what_failed_behind_the_scenes_is_told_until_it_is_done(place: Place) -> None:
    database = access.database(place.host.engine.home, place.root)
    database.parent.mkdir(parents=True)
    database.write_text("something else lies here", encoding="utf-8")
    place.host.session(SessionNews(place.call(), "start"))
    while place.host.idle(lambda: False):
        pass
    told = commands.run(place.host.engine, place.call(), "status")
    assert isinstance(told, Say)
    assert "! indexing the project: " in told.text
    assert "every call is planned" in told.text
    database.unlink()
    place.host.session(SessionNews(place.call(), "start"))
    place.rest()
    told = commands.run(place.host.engine, place.call(), "status")
    assert isinstance(told, Say)
    assert "failed" not in told.text
