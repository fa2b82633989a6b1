"""What the state of a corpus promises: pages, cursors, places, restarts, live sessions, schema and damage."""

import os
import shutil
import stat
from pathlib import Path
from typing import Any

import apsw
import pytest

from backstory.errors import (
    ForeignDatabaseError,
    InvalidCursorError,
    NewerDatabaseError,
    SourceConflictError,
    StaleCursorError,
    UnknownSessionError,
    UsageError,
)
from backstory.records.filters import EntryFilter, SessionFilter
from backstory.records.live import LiveHeader
from backstory.records.query import CursorScope, ListEvents, ListSessions, Mode, SearchEvents
from backstory.store.history import open_history
from tests.contract.query_pins import pins
from tests.fakes.corpus import START, Corpus, header, user


@pins("pagination")
def test_pages_are_complete(corpus: Corpus) -> None:
    for name in "abcdefg":
        corpus.put(name, *(user("emu " * (at % 3 + 1)) for at in range(5)))
    corpus.attach_text("live", "emu", "emu emu")
    for limit in (1, 3, 10):
        events: list[tuple[str, int]] = []
        sessions: list[str] = []
        cursor = None
        while True:
            page = corpus.events("emu", limit=limit, cursor=cursor)
            events += [(hit.session, hit.seq) for hit in page.items]
            if (cursor := page.next_cursor) is None:
                break
        while True:
            kin = corpus.sessions("emu", limit=limit, cursor=cursor)
            sessions += [hit.session.id for hit in kin.items]
            if (cursor := kin.next_cursor) is None:
                break
        assert len(events) == len(set(events)) == 37
        assert sorted(sessions) == [*"abcdefg", "live"]
        assert events == [(hit.session, hit.seq) for hit in corpus.events("emu", limit=100).items]
        assert sessions == corpus.ids("emu", limit=100)


@pins("pagination")
def test_pages_by_relevance_are_complete_over_their_candidates(corpus: Corpus) -> None:
    for name in "abc":
        corpus.put(name, *(user(f"emu {'runs ' * (at % 3)}far") for at in range(150)))
    whole = corpus.events("emu runs", mode=Mode.RELEVANCE, limit=60)
    assert whole.truncated
    found: list[tuple[str, int]] = []
    cursor = None
    while True:
        page = corpus.events("emu runs", mode=Mode.RELEVANCE, limit=40, cursor=cursor)
        found += [(hit.session, hit.seq) for hit in page.items]
        if (cursor := page.next_cursor) is None:
            break
    assert len(found) == len(set(found)) > 60
    assert found[:60] == [(hit.session, hit.seq) for hit in whole.items]


@pins("cursor.bound")
def test_cursors_are_bound(corpus: Corpus, tmp_path: Path) -> None:
    corpus.put("a", user("emu"), user("emu"))
    corpus.put("b", user("emu"), user("emu"))
    cursor = corpus.events("emu", limit=1).next_cursor
    assert cursor
    assert len(corpus.events(" emu ", limit=1, cursor=cursor).items) == 1
    for change in ({"limit": 2}, {"session": "a"}, {"mode": Mode.RELEVANCE}, {"cursor_scope": CursorScope.DURABLE},
                   {"filters": (EntryFilter(seq=(0, 9)),)}, {"query": "other"}):  # fmt: skip
        request = {"query": "emu", "limit": 1, "cursor": cursor, **change}
        with pytest.raises(InvalidCursorError):
            corpus.query.search_events(SearchEvents(**request))  # type: ignore[arg-type]
    with pytest.raises(InvalidCursorError):
        corpus.sessions("emu", limit=1, cursor=cursor)
    for damaged in ("", "x", cursor[:-3], cursor + "A" * 2_000, "e30"):
        if damaged:
            with pytest.raises(InvalidCursorError):
                corpus.events("emu", limit=1, cursor=damaged)
    corpus.reopen()
    with pytest.raises(InvalidCursorError):
        corpus.events("emu", limit=1, cursor=cursor)


@pins("cursor.bound")
def test_equal_filters_in_another_order_are_the_same_request(corpus: Corpus) -> None:
    corpus.put("a", user("emu"), user("emu"))
    one, two = EntryFilter(kinds=("prompt", "message")), EntryFilter(seq=(0, 5))
    cursor = corpus.events("emu", limit=1, filters=(one, two)).next_cursor
    turned = (two, EntryFilter(kinds=("message", "prompt", "prompt")))
    assert len(corpus.events("emu", limit=1, filters=turned, cursor=cursor).items) == 1


@pins("cursor.stale")
def test_cursors_go_stale_with_what_they_page_through(corpus: Corpus) -> None:
    corpus.put("a", user("emu"), user("emu"))
    corpus.put("b", user("emu"), user("emu"))
    wide = corpus.events("emu", limit=1).next_cursor
    inside = corpus.events("emu", "a", limit=1).next_cursor
    listed = corpus.query.list_events(ListEvents(session="a", limit=1)).next_cursor
    corpus.add("b", user("emu"))
    with pytest.raises(StaleCursorError):
        corpus.events("emu", limit=1, cursor=wide)
    assert len(corpus.events("emu", "a", limit=1, cursor=inside).items) == 1
    corpus.attach_text("c", "emu")
    assert len(corpus.events("emu", "a", limit=1, cursor=inside).items) == 1
    corpus.add("a", user("emu"))
    with pytest.raises(StaleCursorError):
        corpus.events("emu", "a", limit=1, cursor=inside)
    with pytest.raises(StaleCursorError):
        corpus.query.list_events(ListEvents(session="a", limit=1, cursor=listed))


@pins("cursor.stale")
def test_cursors_go_stale_with_live_sessions_and_places(corpus: Corpus) -> None:
    corpus.put("a", user("emu"), user("emu"))
    corpus.attach_text("c", "emu", "emu")
    wide = corpus.sessions("emu", limit=1).next_cursor
    inside = corpus.events("emu", "c", limit=1).next_cursor
    corpus.live.append("dsh", "c", [b'{"type":"user/message","seq":2,"data":{"content":"emu"},"surfaceOp":"append"}'])
    for stale in (lambda: corpus.sessions("emu", limit=1, cursor=wide),
                  lambda: corpus.events("emu", "c", limit=1, cursor=inside)):  # fmt: skip
        with pytest.raises(StaleCursorError):
            stale()
    wide = corpus.sessions("emu", limit=1).next_cursor
    corpus.query.unmount("dsh", str(corpus.root))
    with pytest.raises(StaleCursorError):
        corpus.sessions("emu", limit=1, cursor=wide)


@pins("cursor.durable")
def test_durable_cursors_survive_a_restart(corpus: Corpus) -> None:
    corpus.put("a", user("emu"), user("emu emu"))
    given: dict[str, Any] = {"limit": 1, "cursor_scope": CursorScope.DURABLE}
    cursor = corpus.events("emu", **given).next_cursor
    corpus.reopen()
    assert [hit.seq for hit in corpus.events("emu", **given, cursor=cursor).items] == [0]
    corpus.put("b", user("other"))
    with pytest.raises(StaleCursorError):
        corpus.events("emu", **given, cursor=cursor)
    corpus.query.close()
    Path(corpus.path).unlink()
    corpus.open()
    corpus.query.reconcile()
    with pytest.raises(InvalidCursorError):
        corpus.events("emu", **given, cursor=cursor)


@pins("restart")
def test_a_database_deleted_under_the_service_is_made_again(corpus: Corpus) -> None:
    corpus.put("a", user("emu"))
    corpus.attach_text("b", "emu")
    assert corpus.ids("emu") == ["a", "b"]
    for suffix in ("", "-wal", "-shm"):
        Path(corpus.path + suffix).unlink(missing_ok=True)
    assert corpus.ids("emu") == ["b"]
    corpus.query.reconcile()
    assert corpus.ids("emu") == ["a", "b"]


@pins("mounts")
def test_unmounting_hides_and_mounting_reveals(corpus: Corpus, tmp_path: Path) -> None:
    other = tmp_path / "other"
    corpus.put("a", user("emu"))
    corpus.put("b", user("emu"), root=other)
    corpus.query.mount("dsh", str(other))
    assert sorted(corpus.ids("emu")) == ["a", "b"]
    corpus.query.unmount("dsh", str(other))
    for mode in Mode:
        assert corpus.ids("emu", mode) == ["a"]
    assert [one.id for one in corpus.query.list_sessions().items] == ["a"]
    with pytest.raises(UnknownSessionError):
        corpus.query.read_session("b")
    history = open_history(corpus.path, read_only=True)
    assert history.db.execute("SELECT count(*), sum(missing) FROM sessions").fetchall() == [(2, 0)]
    corpus.put("b", user("emu"), user("emu emu"), root=other)
    corpus.query.mount("dsh", str(other))
    assert corpus.ids("emu") == ["b", "a"]


@pins("mounts")
def test_a_place_has_one_name(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.put("a", user("emu"), root=tmp_path / "other")
    monkeypatch.chdir(tmp_path)
    corpus.query.mount("dsh", "other")
    assert corpus.ids("emu") == ["a"]
    corpus.query.unmount("dsh", f"{tmp_path / 'other'}/")
    assert corpus.ids("emu") == []
    corpus.query.mount("dsh", str(tmp_path / "other"))
    assert corpus.ids("emu") == ["a"]
    assert [place.path for place in corpus.query.mounted()].count(str(tmp_path / "other")) == 1


@pins("stores-apart")
def test_stores_with_the_same_ids_do_not_mix(corpus: Corpus, tmp_path: Path) -> None:
    other = tmp_path / "other"
    corpus.put("a", user("emu one"))
    corpus.put("a", user("emu two"), root=other)
    corpus.query.unmount("dsh", str(corpus.root))
    corpus.query.mount("dsh", str(other))
    for mode in Mode:
        assert [hit.snippet for hit in corpus.events("emu", "a", mode).items] == ["emu two"]
        assert [hit.best.snippet for hit in corpus.sessions("emu", mode).items] == ["emu two"]
    corpus.query.unmount("dsh", str(other))
    corpus.query.mount("dsh", str(corpus.root))
    assert [hit.snippet for hit in corpus.events("emu", "a").items] == ["emu one"]


@pins("restart")
def test_a_restart_reads_only_what_changed(corpus: Corpus) -> None:
    for name in "abc":
        corpus.put(name, user("emu"))
    corpus.reopen()
    assert sorted(corpus.ids("emu")) == ["a", "b", "c"]
    report = corpus.query.reconcile()
    assert (report.sources["dsh"].unchanged, report.sources["dsh"].entries) == (3, 0)
    corpus.query.close()
    with corpus.log("b").open("a", encoding="utf-8") as file:
        file.write('{"type":"user/message","seq":1,"time":5,"data":{"content":"emu late"},"surfaceOp":"append"}\n')
    corpus.open()
    report = corpus.query.reconcile()
    assert (report.sources["dsh"].unchanged, report.sources["dsh"].entries) == (2, 1)
    assert corpus.seqs("emu late") == [1]


@pins("incremental")
def test_an_appended_event_costs_that_event(corpus: Corpus) -> None:
    corpus.put("s", *(user(f"emu {at}") for at in range(50)))
    history = open_history(corpus.path, read_only=True)
    before = history.db.execute("SELECT id, seq FROM entries ORDER BY seq").fetchall()
    corpus.add("s", user("summary", surfaceOp={"op": "replace", "start": 0, "end": 48}, sourceEventSeqs=[*range(49)]))
    after = history.db.execute("SELECT id, seq FROM entries ORDER BY seq").fetchall()
    assert after[:50] == before
    shadowed = corpus.query.list_events(ListEvents(session="s", filters=(EntryFilter(surfaces=("shadowed",)),)))
    assert [one.seq for one in shadowed.items] == [*range(49)]


@pins("vanished")
def test_a_vanished_session_stays_as_missing(corpus: Corpus) -> None:
    corpus.put("a", user("emu"))
    corpus.put("b", user("emu"))
    shutil.rmtree(corpus.log("a").parent)
    corpus.query.reconcile()
    found = {hit.session.id: (hit.session.missing, hit.session.stored) for hit in corpus.sessions("emu").items}
    assert found == {"a": (True, True), "b": (False, True)}
    gone = (SessionFilter(availability=("missing",)),)
    assert corpus.ids("emu", session_filters=gone) == ["a"]
    corpus.put("a", user("emu"))
    assert corpus.ids("emu", session_filters=gone) == []


@pins("damage")
def test_damage_costs_only_itself(corpus: Corpus) -> None:
    corpus.put("a", user("emu"))
    corpus.put("b", user("emu"))
    with corpus.log("b").open("a", encoding="utf-8") as file:
        file.write(
            '{"type":"user/mess\n{"type":"user/message","seq":2,"data":{"content":"emu"},"surfaceOp":"append"}\n'
        )
    corpus.put("c", user("emu"))
    assert sorted(corpus.ids("emu")) == ["a", "b", "c"]
    assert corpus.seqs("emu", "b") == [0, 2]
    unreadable = corpus.root / "project" / "d"
    unreadable.mkdir()
    Path(os.fsdecode(bytes(unreadable / "session") + b"\xff.jsonl")).write_text(header("d"), encoding="utf-8")
    report = corpus.query.reconcile()
    assert [Path(one.path).parent.name for one in report.problems] == ["d"]
    page = corpus.sessions("emu")
    assert [Path(one.path).parent.name for one in page.problems] == ["d"]
    assert len(page.items) == 3


@pins("live.shadow", "live.reveal")
def test_live_sessions_shadow_and_reveal(corpus: Corpus) -> None:
    corpus.put("s", user("emu stored"), user("other"))
    corpus.attach_text("s", "emu live")
    assert [(hit.session.live, hit.session.stored, hit.best.snippet) for hit in corpus.sessions("emu").items] == [
        (True, True, "emu live")
    ]
    for mode in Mode:
        assert corpus.seqs("stored", mode=mode) == []
        assert corpus.seqs("live", "s", mode) == [0]
    assert [one.text for one in corpus.query.read_session("s").events] == ["emu live"]
    assert corpus.ids("emu", session_filters=(SessionFilter(availability=("live",)),)) == ["s"]
    assert corpus.ids("emu", session_filters=(SessionFilter(availability=("present",)),)) == ["s"]
    corpus.add("s", user("emu grown"))
    assert corpus.seqs("grown") == []
    assert corpus.live.detach("dsh", "s")
    assert not corpus.live.detach("dsh", "s")
    assert corpus.seqs("grown") == [2]
    assert corpus.sessions("emu").items[0].session.live is False


@pins("live.reopen")
def test_live_rows_are_never_durable(corpus: Corpus) -> None:
    corpus.put("s", user("emu"))
    corpus.attach_text("new", "emu live")
    assert sorted(corpus.ids("emu")) == ["new", "s"]
    history = open_history(corpus.path, read_only=True)
    assert history.db.execute("SELECT count(*) FROM sessions").fetchall() == [(1,)]
    assert history.db.execute("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'live%'").fetchall() == [(0,)]
    corpus.reopen()
    assert corpus.ids("emu") == ["s"]


@pins("live.reopen")
def test_live_events_grow_and_fold(corpus: Corpus) -> None:
    corpus.live.attach(LiveHeader("dsh", "s", rules="dsh"), [])
    ops = ['"append"', '"append"', '{"op":"replace","start":0,"end":0}']
    raw = [
        f'{{"type":"user/message","seq":{at},"time":{START},"data":{{"content":"emu {at}"}},"surfaceOp":{op}}}'
        for at, op in enumerate(ops)
    ]
    for one in raw[:2]:
        corpus.live.append("dsh", "s", [one.encode()])
        assert corpus.seqs("emu", "s")
    told = corpus.live.append("dsh", "s", [raw[2].encode()])
    assert (told.events, told.next_seq) == (3, 3)
    assert {hit.seq: hit.surface for hit in corpus.events("emu", "s").items} == {
        0: "shadowed", 1: "current", 2: "current"
    }  # fmt: skip
    assert [one.seq for one in corpus.query.read_surface("s").events] == [2, 1]
    assert corpus.query.trace_event("s", 0).replaced_by == 2


@pins("live.reopen")
def test_a_refused_append_leaves_no_trace(corpus: Corpus) -> None:
    corpus.live.attach(LiveHeader("dsh", "s", rules="dsh"), [])
    raw = [b'{"type":"user/message","seq":%d,"data":{"content":"emu"},"surfaceOp":"append"}' % at for at in range(2)]
    corpus.live.append("dsh", "s", raw[:1])
    with pytest.raises(UsageError):
        corpus.live.append("dsh", "s", [raw[1], b"{bad"])
    assert corpus.live.append("dsh", "s", raw[1:]).next_seq == 2
    assert sorted(corpus.seqs("emu", "s")) == [0, 1]


@pins("live.conflict")
def test_a_contradicting_header_fails_that_session_alone(corpus: Corpus) -> None:
    corpus.put("s", user("emu"), cwd="/x")
    corpus.put("t", user("emu"))
    for wrong in (LiveHeader("dsh", "s", cwd="/y"), LiveHeader("dsh", "s", created=1),
                  LiveHeader("dsh", "s", parent="p"),
                  LiveHeader("dsh", "s", delegation_depth=1), LiveHeader("dsh", "s", seed_length=3)):  # fmt: skip
        with pytest.raises(SourceConflictError):
            corpus.live.attach(wrong)
    corpus.live.attach(LiveHeader("dsh", "u", cwd="/x"))
    with pytest.raises(SourceConflictError):
        corpus.live.attach(LiveHeader("dsh", "u", cwd="/x"))
    corpus.put("u", user("emu"), cwd="/z")
    page = corpus.sessions("emu")
    assert sorted(hit.session.id for hit in page.items) == ["s", "t"]
    assert [(one.path, one.reason.partition(":")[0]) for one in page.problems] == [("dsh:u", "SOURCE_CONFLICT")]
    with pytest.raises(SourceConflictError):
        corpus.query.read_session("u")


@pins("schema.refusal")
def test_foreign_and_newer_databases_are_refused_untouched(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    with apsw.Connection(str(foreign)) as db:
        db.execute("CREATE TABLE theirs (x); PRAGMA application_id=7")
    newer = tmp_path / "newer.db"
    open_history(str(newer)).close()
    with apsw.Connection(str(newer)) as db:
        db.execute("PRAGMA user_version=999")
    for path, error in ((foreign, ForeignDatabaseError), (newer, NewerDatabaseError)):
        before = path.read_bytes()
        (tmp_path / path.stem).mkdir()
        refused = Corpus(tmp_path / path.stem, path=str(path))
        with pytest.raises(error):
            refused.query.list_sessions()
        with pytest.raises(error):
            refused.query.reconcile()
        assert path.read_bytes() == before


@pins("schema.modes")
def test_new_files_are_for_their_owner(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir(mode=0o755)
    corpus = Corpus(tmp_path, path=str(tmp_path / "kept" / "new" / "history.db"))
    corpus.put("s", user("emu"))
    modes = {name: stat.S_IMODE((tmp_path / "kept" / name).stat().st_mode) for name in (".", "new", "new/history.db")}
    assert modes == {".": 0o755, "new": 0o700, "new/history.db": 0o600}


@pins("schema.memory")
def test_the_service_runs_in_memory(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, path=":memory:")
    corpus.put("s", user("emu"))
    corpus.attach_text("t", "emu")
    corpus.add("s", user("emu emu"))
    assert corpus.ids("emu") == ["s", "t"]
    assert not (tmp_path / ":memory:").exists()


@pins("reads")
def test_listing_pages_through_sessions(corpus: Corpus) -> None:
    for at in range(5):
        corpus.put(f"s{at}", user("emu"), created=START + at % 2)
    first = corpus.query.list_sessions(ListSessions(limit=3))
    rest = corpus.query.list_sessions(ListSessions(limit=3, cursor=first.next_cursor))
    assert [one.id for one in (*first.items, *rest.items)] == ["s1", "s3", "s0", "s2", "s4"]
    assert rest.next_cursor is None
