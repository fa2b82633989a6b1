"""What reading, tracing, failing and stopping promise."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from backstory import errors
from backstory.engine.query.mounts import Mounts, Surroundings
from backstory.errors import CancelledError, InvalidLineageError, InvalidWindowError, UnknownEntryError
from backstory.index import sync
from backstory.index.reconcile import Outcome, PlacedLog, reconcile
from backstory.records.query import Branch, ListEvents, Mode, QueryOptions
from backstory.sources.discover import Place
from backstory.store.cancel import Token
from backstory.store.history import History, open_history
from tests.contract.query_pins import pins
from tests.fakes.corpus import START, Corpus, assistant, result, said, user


@pins("reads")
def test_sessions_events_and_surfaces_are_read(corpus: Corpus) -> None:
    corpus.put("s", user("one"), assistant(said("two")), {"type": "step/end", "data": {}}, result("three"),
               user("sum", surfaceOp={"op": "replace", "start": 0, "end": 1}, sourceEventSeqs=[0, 1]), cwd="/x",
               agentPreset="fast")  # fmt: skip
    whole = corpus.query.read_session("s")
    assert [one.text for one in whole.events] == ["one", "two", "", "three", "sum"]
    assert (whole.session.cwd, whole.session.agent_preset, whole.session.entries) == ("/x", "fast", 5)
    listed = corpus.query.list_events(ListEvents(session="s", limit=2))
    rest = corpus.query.list_events(ListEvents(session="s", limit=1_000))
    assert [(one.seq, one.surface) for one in rest.items] == [
        (0, "shadowed"), (1, "shadowed"), (2, "log-only"), (3, "current"), (4, "current")
    ]  # fmt: skip
    assert rest.items[:2] == listed.items
    view = corpus.query.read_surface("s")
    assert ([one.text for one in view.events], view.through) == (["sum", "three"], 4)
    assert corpus.query.read_surface("dsh:s") == view
    corpus.put("empty")
    assert corpus.query.read_surface("empty").through is None


@pins("reads")
def test_titles_are_read_one_and_many(corpus: Corpus) -> None:
    corpus.put("s", user("first words"), {"type": "session/title", "data": {"title": "Old"}},
               {"type": "session/title", "data": {"title": "New"}})  # fmt: skip
    corpus.put("t", user("first words"))
    title = corpus.query.read_title("s")
    assert (title.title, title.seq, title.time) == ("New", 2, START + 2000)
    found = corpus.query.read_titles(["t", "s", "nobody", "t"])
    assert [(one.session, one.title.title if one.title else one.error) for one in found] == [
        ("t", "first words"), ("s", "New"), ("nobody", "SESSION_NOT_FOUND")
    ]  # fmt: skip


@pins("windows")
def test_windows_are_clipped_and_bounded(corpus: Corpus) -> None:
    corpus.put("s", *(user(f"emu {at}") for at in range(10)))
    for seq, before, after, start, end in ((5, 0, 0, 5, 5), (5, 2, 3, 3, 8), (1, 5, 1, 0, 2), (8, 1, 50, 7, 9)):
        window = corpus.query.read_event("s", seq, before=before, after=after)
        assert (window.target, window.start, window.end) == (seq, start, end)
        assert [one.seq for one in window.events] == [*range(start, end + 1)]
    for before, after in ((-1, 0), (0, 51)):
        with pytest.raises(InvalidWindowError):
            corpus.query.read_event("s", 5, before=before, after=after)
    with pytest.raises(UnknownEntryError):
        corpus.query.read_event("s", 10, before=3)


@pins("trace.event")
def test_events_are_traced(corpus: Corpus) -> None:
    corpus.put("s", user("a"), user("b"), user("c"),
               user("ab", surfaceOp={"op": "replace", "start": 0, "end": 1}, sourceEventSeqs=[0, 1]),
               user("abc", surfaceOp={"op": "replace", "start": 3, "end": 2}, sourceEventSeqs=[3, 2]))  # fmt: skip
    first, middle, last = (corpus.query.trace_event("s", seq) for seq in (0, 3, 4))
    assert (first.replaced_by, first.chain, first.derived) == (3, (3, 4), (3,))
    assert (middle.replaced, middle.sources, middle.replaced_by, middle.derived) == ((0, 1), (0, 1), 4, (4,))
    assert (last.replaced_by, last.replaced, last.sources) == (None, (2, 3), (3, 2))
    with pytest.raises(UnknownEntryError):
        corpus.query.trace_event("s", 9)


def _names(branches: tuple[Branch, ...]) -> list[object]:
    return [(one.session.id, _names(one.descendants)) if one.descendants else one.session.id for one in branches]


@pins("trace.session")
def test_sessions_are_traced(corpus: Corpus) -> None:
    for at, (name, parent) in enumerate((("root", None), ("kid2", "root"), ("kid1", "root"), ("leaf", "kid2"),
                                         ("lost", "unknown"), ("x", "y"), ("y", "x"))):  # fmt: skip
        more: dict[str, Any] = {"parentSession": parent} if parent else {}
        corpus.put(name, user("emu"), created=START + (7 - at if name.startswith("kid") else at), **more)
    top = corpus.query.trace_session("root")
    assert _names(top.descendants) == ["kid1", ("kid2", ["leaf"])]
    assert top.complete
    assert top.root == top.target
    leaf = corpus.query.trace_session("leaf")
    assert [one.id for one in leaf.ancestors] == ["kid2", "root"]
    assert leaf.root is not None
    assert leaf.root.id == "root"
    lost = corpus.query.trace_session("lost")
    assert (lost.complete, lost.missing_parent, lost.root) == (False, "unknown", None)
    with pytest.raises(InvalidLineageError):
        corpus.query.trace_session("x")


@pins("rollback")
def test_a_failed_pass_is_rolled_back_and_done_again(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.put("a", user("emu"))
    cursor = corpus.sessions("emu", limit=1)
    real: Callable[..., Outcome] = reconcile
    calls: list[str] = []

    def failing(history: History, file: PlacedLog, *rest: object) -> Outcome:
        outcome = real(history, file, *rest)
        calls.append(file.path)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return outcome

    monkeypatch.setattr(sync, "reconcile", failing)
    for name in "bc":
        corpus.put(name, user("emu"), root=corpus.root)
    with pytest.raises(KeyboardInterrupt):
        corpus.query.reconcile()
    assert corpus.ids("emu") == ["a"]
    assert corpus.sessions("emu", limit=1) == cursor
    corpus.query.reconcile()
    assert sorted(corpus.ids("emu")) == ["a", "b", "c"]


@contextmanager
def _in_thread(work: object) -> Iterator[list[BaseException]]:
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()  # type: ignore[operator]
        except BaseException as error:  # noqa: BLE001
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield raised
    thread.join(20)
    assert not thread.is_alive()


@pins("cancel.queued")
def test_a_waiting_call_is_stopped(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, options=QueryOptions(connections=1))
    corpus.put("s", user("emu"))
    token = Token()
    with corpus.query.pool.use(Token()), _in_thread(lambda: corpus.query.read_session("s", token)) as raised:
        time.sleep(0.05)
        token.cancel()
        for _ in range(2_000):
            if raised:
                break
            time.sleep(0.01)
        assert [type(error) for error in raised] == [CancelledError]
    with corpus.query.pool.use(Token()), pytest.raises(CancelledError):
        corpus.query.read_session("s", Token(deadline_ms=30))
    assert corpus.query.read_session("s").session.id == "s"


@pins("cancel.running")
@pytest.mark.parametrize("deadline", [None, 50])
def test_a_running_statement_is_stopped(corpus: Corpus, deadline: int | None) -> None:
    corpus.put("s", user("emu"))
    token = Token(deadline)
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    def run() -> None:
        with corpus.query.pool.use(token) as history:
            history.db.execute(endless).fetchall()

    with _in_thread(run) as raised:
        time.sleep(0.1)
        if deadline is None:
            token.cancel()
    assert [type(error) for error in raised] == [CancelledError]
    assert corpus.ids("emu") == ["s"]


@pins("cancel.pass")
def test_a_stopped_pass_keeps_nothing_half_done(corpus: Corpus) -> None:
    corpus.put("s", *(user("emu " * 600_000) for _ in range(4)), root=corpus.root)
    cancelled = Token()
    cancelled.cancel()
    with pytest.raises(CancelledError):
        corpus.query.reconcile(cancelled)
    asked: list[int] = []
    token = Token()

    def stopped() -> bool:
        asked.append(1)
        return len(asked) > 1

    token.stopped = stopped  # type: ignore[method-assign]
    history = open_history(corpus.path)

    def writer(_: Token) -> Iterator[History]:
        yield history

    with pytest.raises(CancelledError):
        Mounts([Place("dsh", str(corpus.root))], writer, Surroundings()).reconcile(token)
    assert history.db.execute("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM entries)").fetchall() == [
        (0, 0)
    ]
    corpus.query.reconcile()
    assert corpus.query.read_session("s").session.entries == 4


@pins("codes")
def test_the_seventeen_codes_are_stable() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)]
    codes = {value.code for value in classes if issubclass(value, errors.BackstoryError)}
    assert codes >= {
        "ABORTED", "CORRUPT_SESSION", "EVENT_NOT_FOUND", "INDEX_FAILED", "INVALID_CONFIG", "INVALID_CURSOR",
        "INVALID_FILTER", "INVALID_LIMIT", "INVALID_QUERY", "INVALID_LINEAGE", "INVALID_SURFACE", "INVALID_WINDOW",
        "PERSISTENCE_FAILED", "SEARCH_DISABLED", "SESSION_NOT_FOUND", "STALE_CURSOR", "SOURCE_CONFLICT",
    }  # fmt: skip


@pins("codes")
def test_impossible_options_are_refused(tmp_path: Path) -> None:
    for options in (QueryOptions(default_limit=0), QueryOptions(max_limit=5), QueryOptions(connections=0),
                    QueryOptions(read_window_max=-1), QueryOptions(refresh_ms=-1)):  # fmt: skip
        with pytest.raises(errors.InvalidConfigError):
            Corpus(tmp_path, options=options)


@pins("restart")
def test_a_search_can_bring_itself_up_to_date(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, options=QueryOptions(refresh_ms=0))
    corpus.put("s", user("emu"), root=corpus.root)
    for mode in Mode:
        assert corpus.ids("emu", mode) == ["s"]
