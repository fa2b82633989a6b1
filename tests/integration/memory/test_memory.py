"""Stored memories follow logs and ledger, record by record, and are the same when they are made anew."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.engine.indexing import index
from backstory.engine.memory import commands
from backstory.engine.memory import sources as memory_sources
from backstory.engine.memory import state as memory_state
from backstory.engine.memory import sync as memory_sync
from backstory.engine.open import Engine
from backstory.engine.project import access
from backstory.errors import UsageError
from backstory.records.indexing import IndexRequest
from backstory.records.memory import MEMORY_TYPE, PIN_TYPE
from backstory.records.memory_requests import (
    KeptRequest,
    MemoryAddRequest,
    MemoryEndRequest,
    MemoryExcludeRequest,
    MemoryIncludeRequest,
    MemorySourcesRequest,
    MemorySupersedeRequest,
    PinRequest,
    UnpinRequest,
)
from backstory.store import memory as rows
from backstory.store import mutations
from backstory.store.memory import Viewer
from tests.fakes import logs
from tests.fakes.indexed import indexed, take_in

TABLES = ("mutations", "mutation_ties", "kept", "memory_sources", "memory_exclusions")


class Project:
    """A trusted folder, and logs of sessions in it that hold mutation records."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "app"
        self.folder.mkdir()
        self.entries: dict[str, list[dict[str, Any]]] = {}
        self.clock = 1_000
        access.trust(root / "data", self.folder, trusted=True)
        self.setting("across_sessions = true")

    def setting(self, text: str) -> None:
        (self.root / "data" / "config.toml").write_text(f"[memory]\n{text}\n", encoding="utf-8")

    def path(self, session: str) -> Path:
        return self.root / "logs" / f"{session}.jsonl"

    def add(self, session: str, type_: str, **data: Any) -> str:
        """Append one mutation record to a session's log; gives its entry id."""
        known = self.entries.setdefault(session, [])
        id_ = f"{session}-{len(known)}"
        whole = {"schemaVersion": 1, "mutationId": f"m-{id_}", "createdAt": 5, **data}
        entry = logs.pi_entry(len(known), "x")
        entry |= {"type": "custom", "id": id_, "parentId": None, "customType": type_, "data": whole}
        del entry["message"]
        known.append(entry)
        self.write(session)
        return id_

    def write(self, session: str) -> None:
        data = logs.lines([logs.pi_header(session, cwd=str(self.folder)), *self.entries[session]])
        self.clock += 1
        logs.write(self.path(session), data)
        os.utime(self.path(session), ns=(self.clock * 10**9, self.clock * 10**9))

    def claim(self, session: str, name: str, text: str, **more: Any) -> str:
        item = {"id": name, "scope": "project", "claim": text, "createdAt": 1, "sourceEntryIds": []}
        item |= {"projectPath": str(self.folder)} | more
        if item["scope"] == "session":
            del item["projectPath"]
        return self.add(session, MEMORY_TYPE, operation="add", item=item)


@pytest.fixture
def app(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.claim("s1", "a", "deploys go through ci", key="deploys")
    made.claim("s2", "b", "tests run with go")
    return made


@pytest.fixture
def engine(app: Project) -> Iterator[Engine]:
    with indexed(app.root / "data", app.root / "logs") as opened:
        yield opened


def texts(engine: Engine, session: str = "s1", **more: Any) -> list[str]:
    return [item.text for item in commands.memories(engine, KeptRequest(session=session, **more)).items]


def stored(engine: Engine) -> dict[str, list[Any]]:
    """All rows, without the numbers that SQLite gave them."""
    found: dict[str, list[Any]] = {
        name: engine.history.db.execute(f"SELECT * FROM {name}").fetchall()  # noqa: S608
        for name in TABLES
    }
    names = {row[0]: row[1:] for row in found["mutations"]}
    ties = sorted((tie, names[row]) for tie, row in found["mutation_ties"])
    kept = sorted((*row[1:-2], row[-1], names[row[-2]]) for row in found["kept"])
    words = [row[0] for row in found["kept"] if matches(engine, row[0])]
    return {
        "mutations": sorted(names.values(), key=str), "ties": ties, "kept": kept, "words": [len(words)],
        "sources": found["memory_sources"], "exclusions": found["memory_exclusions"],
    }  # fmt: skip


def matches(engine: Engine, row: int) -> bool:
    sql = "SELECT 1 FROM kept_words WHERE rowid = ?"
    return bool(engine.history.db.execute(sql, (row,)).fetchall())


def anew(engine: Engine) -> None:
    """Throw away everything about memory and make it again."""
    with engine.history.write("test"):
        for name in (*TABLES, "kept_words"):
            engine.history.db.execute(f"DELETE FROM {name}")  # noqa: S608
        engine.history.db.execute("UPDATE ledger_reached SET offset = 0, tail = x'', mutations = 0")
    memory_sync.refresh(engine)


def test_credentials_are_not_kept_whoever_wrote_them(app: Project, engine: Engine) -> None:
    secret = "ghp_" + "q7Zr5Wn2Yb8Ht3Kx9Lm4Vc6Td1Pf0Sj2Ga5E"
    with pytest.raises(UsageError, match="holds a credential"):
        commands.pin(engine, PinRequest(session="s1", text=(f"the token is {secret}",)))
    with pytest.raises(UsageError, match="holds a credential"):
        commands.add(engine, MemoryAddRequest(session="s1", text=(f"the token is {secret}",)))
    app.claim("s3", "c", f"the bot has {secret}")
    take_in(engine, app.root / "logs")
    assert "the bot has [redacted:github]" in texts(engine, "s3")
    assert secret not in str(stored(engine))


def test_all_pins_together_stay_within_what_a_call_allows_them(app: Project, engine: Engine) -> None:
    (app.root / "data" / "config.toml").write_text("[budget]\npins = 400\n", encoding="utf-8")
    first = commands.pin(engine, PinRequest(session="s1", text=("never touch vendor " * 30,)))
    other = PinRequest(session="s1", text=("ask before you publish " * 30,))
    with pytest.raises(UsageError, match="400 are allowed"):
        commands.pin(engine, other)
    commands.unpin(engine, UnpinRequest(session="s1", pin=first.item.id))
    assert commands.pin(engine, other).written


def test_a_pin_is_replaced_within_its_scope_only(engine: Engine) -> None:
    first = commands.pin(engine, PinRequest(session="s1", text=("never touch vendor",), classification="internal")).item
    other = PinRequest(session="s1", text=("ask first",), supersedes=first.id, scope="project")
    with pytest.raises(UsageError, match="has the scope session"):
        commands.pin(engine, other)
    again = PinRequest(session="s1", text=("ask first",), supersedes=first.id)
    assert commands.pin(engine, again).item.level == "internal"
    with pytest.raises(UsageError, match="superseded already"):
        commands.pin(engine, again)


def test_step_by_step_gives_what_making_it_anew_gives(app: Project, engine: Engine) -> None:
    commands.pin(engine, PinRequest(session="s1", text=("never touch vendor",), scope="project"))
    first = commands.add(engine, MemoryAddRequest(session="s2", text=("the cache is enabled",), scope="project"))
    assert texts(engine) == ["deploys go through ci", "tests run with go", "the cache is enabled"]
    app.claim("s2", "c", "deploys go by hand", key="deploys")
    app.add("s3", MEMORY_TYPE, operation="status", memoryId="b", status="expired", reason="moved")
    app.claim("s3", "a", "another claim under a known id")
    app.claim("s3", "d", "only here", scope="session")
    app.add("s3", PIN_TYPE, operation="add", item={"id": "p", "scope": "session", "content": "x", "createdAt": 1})
    app.add("s3", MEMORY_TYPE, operation="nonsense")
    commands.supersede(
        engine, MemorySupersedeRequest(session="s2", memory=first.item.id, text=("the cache is disabled",))
    )
    assert texts(engine) == ["deploys go through ci", "the cache is disabled"]
    memory_sources.exclude(engine, MemoryExcludeRequest(session="s1", reason=("old", "ways")))
    assert texts(engine) == ["deploys go by hand", "another claim under a known id", "the cache is disabled"]
    app.path("s2").unlink()
    assert texts(engine) == ["another claim under a known id", "the cache is disabled"]
    app.write("s2")
    memory_sources.include(engine, MemoryIncludeRequest(session="s1"))
    assert texts(engine) == ["deploys go through ci", "the cache is disabled"]
    before = stored(engine)
    anew(engine)
    assert stored(engine) == before
    told = commands.memories(engine, KeptRequest(session="s3")).warnings
    assert [line.partition(": ")[2] for line in told] == ["another memory is called a", "its operation is unknown"]


def test_nothing_new_writes_nothing(engine: Engine) -> None:
    assert len(texts(engine)) == 2
    generation = engine.history.generation()
    memory_sync.refresh(engine)
    assert engine.history.generation() == generation


def test_a_rewritten_log_takes_its_old_records_along(app: Project, engine: Engine) -> None:
    assert len(texts(engine)) == 2
    app.entries["s2"] = []
    app.claim("s2", "z", "tests run with make")
    assert texts(engine) == ["deploys go through ci", "tests run with make"]


def test_a_log_that_does_not_hold_what_was_indexed_counts_as_corrupt(app: Project, engine: Engine) -> None:
    app.claim("s2", "c", "a second claim")
    index.sync(engine, only_added=True)
    data = app.path("s2").read_bytes()
    app.path("s2").write_bytes(data.replace(b"a second claim", b"a forged claim"))
    memory_sync.refresh(engine)
    status = {row.session: (row.status, row.error) for row in listed(engine)}
    assert status == {"s1": ("ready", None), "s2": ("corrupt", "a record is not the one that was indexed")}
    generation = engine.history.generation()
    memory_sync.refresh(engine)
    assert engine.history.generation() == generation
    app.path("s2").write_bytes(data)
    memory_sync.refresh(engine)
    assert {row.status for row in listed(engine)} == {"ready"}


def listed(engine: Engine) -> tuple[Any, ...]:
    with engine.history.read():
        return tuple(mutations.listed(engine.history, str(Path(engine.home).parent / "app"), 250))


def test_sources_are_listed_with_what_counts_of_them(app: Project, engine: Engine) -> None:
    app.claim("s2", "d", "only here", scope="session")
    assert "tests run with go" in texts(engine)
    app.path("s1").unlink()
    memory_sources.exclude(engine, MemoryExcludeRequest(session="s2", reason=("noise",)))
    answer = memory_sources.sources(engine, MemorySourcesRequest(session="s2"))
    assert (answer.project, answer.trusted, answer.shared) == (str(app.folder), True, True)
    assert [(one.session, one.status, one.mutations, one.project_mutations, one.reason) for one in answer.items] == [
        ("s2", "excluded", 2, 1, "noise"),
        ("s1", "missing", 1, 1, None),
    ]
    assert answer.excluded == ()
    assert texts(engine, "s2") == ["only here"]


def test_more_sessions_than_are_looked_at_are_beyond(app: Project, engine: Engine) -> None:
    app.setting("across_sessions = true\nsessions = 1")
    answer = memory_sources.sources(engine, MemorySourcesRequest(session="s1"))
    assert [(one.session, one.status) for one in answer.items] == [("s2", "ready"), ("s1", "beyond")]
    assert texts(engine, "s2") == ["tests run with go"]
    assert texts(engine, "s1") == ["deploys go through ci", "tests run with go"]


def test_other_sessions_are_shared_only_when_asked_for(app: Project, engine: Engine) -> None:
    app.setting("across_sessions = false")
    assert (texts(engine, "s1"), texts(engine, "s2")) == (["deploys go through ci"], ["tests run with go"])
    access.trust(engine.home, app.folder, trusted=False)
    app.setting("across_sessions = true")
    assert texts(engine, "s1") == ["deploys go through ci"]


def test_an_exclusion_is_written_once_and_outlives_a_rebuild(app: Project, engine: Engine) -> None:
    assert memory_sources.exclude(engine, MemoryExcludeRequest(session="s2")).written
    assert not memory_sources.exclude(engine, MemoryExcludeRequest(session="s2")).written
    assert texts(engine) == ["deploys go through ci"]
    anew(engine)
    assert texts(engine) == ["deploys go through ci"]
    assert memory_sources.include(engine, MemoryIncludeRequest(session="s2")).written
    with pytest.raises(UsageError):
        memory_sources.exclude(engine, MemoryExcludeRequest(session="s2", reason=("x" * 501,)))


def test_another_ledger_is_read_from_its_beginning(engine: Engine) -> None:
    first = commands.add(engine, MemoryAddRequest(session="s1", text=("a told claim",)))
    path = Path(engine.home) / "canonical" / "ledger.jsonl"
    kept = [
        line for line in path.read_text(encoding="utf-8").splitlines() if json.loads(line)["type"] != memory_sync.KEEP
    ]
    path.write_text("".join(line + "\n" for line in kept), encoding="utf-8")
    assert "a told claim" not in texts(engine)
    with pytest.raises(UsageError):
        commands.expire(engine, MemoryEndRequest(session="s1", memory=first.item.id))


def test_memories_are_found_by_their_words(app: Project, engine: Engine) -> None:
    app.claim("s1", "k", "the café serves Parser_Output only", key="render-path")
    index.sync(engine, only_added=True)
    memory_sync.refresh(engine)
    who = Viewer("s1", str(app.folder), 250)

    def found(*terms: str) -> list[tuple[str, tuple[str, ...], bool]]:
        with engine.history.read():
            return [(one.item.id, one.words, one.keyed) for one in memory_state.memories(engine, who, terms)]

    assert found("cafe") == [("k", ("cafe",), False)]
    assert found("parser_output", "testing") == [("k", ("parser_output",), False), ("b", ("testing",), False)]
    assert found("render-path") == [("k", (), True)]
    assert [id_ for id_, *_ in found("nothing", '"', "")] == ["k", "a", "b"]
    assert found("deploys", "ci")[0] == ("a", ("deploys", "ci"), True)


def test_a_word_that_nearly_all_hold_does_not_choose(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "COMMON", 1)
    for text in ("shared alpha one", "shared beta two", "shared gamma three"):
        commands.add(engine, MemoryAddRequest(session="s1", text=(text,)))
    who = Viewer("s1")
    with engine.history.read():
        assert [one.item.text for one in memory_state.memories(engine, who, ("shared", "beta"))] == ["shared beta two"]
        assert len(list(memory_state.memories(engine, who, ("shared",)))) == 3


@pytest.mark.parametrize("folder", ["/a\0b", "/" + "x" * 5000, "~nobody/x", "relative/x"])
def test_a_log_may_name_any_working_folder(app: Project, engine: Engine, folder: str) -> None:
    logs.write(app.path("odd"), logs.lines([logs.pi_header("odd", cwd=folder), logs.pi_entry(0, "x")]))
    index.index(engine, IndexRequest())
    commands.pin(engine, PinRequest(session="odd", text=("an emu",)))
    assert [item.text for item in commands.pins(engine, KeptRequest(session="odd")).items] == ["an emu"]
