"""Whatever happens to the files of a folder, one pass brings the index to what a build from nothing would say."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from backstory.sources import registry
from backstory.sources.discover import Place
from backstory.store.history import History, open_history
from tests.fakes import logs
from tests.fakes.projection import clean, projection, settled, sync

SAMPLES = Path(__file__).parents[1] / "fixtures" / "sources"
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


@contextmanager
def folder() -> Iterator[tuple[History, Path]]:
    path = tempfile.mkdtemp()
    history = open_history(":memory:")
    try:
        yield history, Path(path)
    finally:
        history.close()
        shutil.rmtree(path)


def tick(path: Path, step: int) -> None:
    """Gives a file its own modification time, so that no test depends on the clock's grain."""
    os.utime(path, ns=(step * 10**9, step * 10**9))


def sample_files() -> list[tuple[str, Path]]:
    return [
        (name, path)
        for name in registry.names()
        for path in sorted((SAMPLES / name).rglob("*"))
        if path.is_file() and path.name.endswith(registry.load(name).location.suffixes)
    ]


@pytest.mark.parametrize(("name", "sample"), sample_files(), ids=lambda value: getattr(value, "name", value))
@FEW
@given(cuts=st.lists(st.integers(0, 2**31), min_size=1, max_size=4))
def test_a_file_that_grows_by_any_bytes_is_read_as_if_at_once(name: str, sample: Path, cuts: list[int]) -> None:
    data = sample.read_bytes()
    with folder() as (history, root):
        path = root / sample.relative_to(SAMPLES / name)
        path.parent.mkdir(parents=True, exist_ok=True)
        places = [Place(name, str(root))]
        for step, cut in enumerate([*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]):
            path.write_bytes(data[:cut]) if not path.exists() else _append(path, data[path.stat().st_size : cut])
            tick(path, step + 1)
            sync(history, places)
        assert projection(history) == clean(places)


@pytest.mark.parametrize(("name", "sample"), sample_files(), ids=lambda value: getattr(value, "name", value))
def test_a_record_means_what_stands_before_it_makes_of_it(name: str, sample: Path) -> None:
    lines = sample.read_bytes().splitlines(keepends=True)[:20]
    with folder() as (history, root):
        path = root / sample.relative_to(SAMPLES / name)
        path.parent.mkdir(parents=True, exist_ok=True)
        places = [Place(name, str(root))]
        for step in range(2 * len(lines)):
            at = step // 2
            path.write_bytes(b"".join(lines if step % 2 else lines[:at] + lines[at + 1 :]))
            tick(path, step + 1)
            sync(history, places)
            assert settled(history) == clean(places)


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


NAMES = ("a", "b", "c")
WORDS = ("retry", "drop the cache", "parseHTTPRequest", "src/cart.py:12", "修改you", "plain")
file_names = st.sampled_from(NAMES)
operations = st.one_of(
    st.tuples(st.just("append"), file_names, st.sampled_from(WORDS)),
    st.tuples(st.just("torn"), file_names, st.integers(1, 60)),
    st.tuples(st.just("truncate"), file_names, st.integers(0, 1_000)),
    st.tuples(st.just("early"), file_names, st.integers(0, 1_000)),
    st.tuples(st.just("replace"), file_names, st.sampled_from(WORDS)),
    st.tuples(st.just("touch"), file_names, st.just(0)),
    st.tuples(st.just("delete"), file_names, st.just(0)),
    st.tuples(st.just("restore"), file_names, st.just(0)),
    st.tuples(st.just("twin"), file_names, st.just(0)),
    st.tuples(st.just("fork"), file_names, st.sampled_from(WORDS)),
    st.tuples(st.just("garbage"), file_names, st.binary(max_size=20)),
    st.tuples(st.just("empty"), file_names, st.just(0)),
)


class Shelf:
    """A folder of Pi sessions that things happen to."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = 1_000
        self.gone: dict[str, bytes] = {}

    def path(self, name: str) -> Path:
        return self.root / f"{name}.jsonl"

    def put(self, name: str, data: bytes, *, fresh: bool = False) -> None:
        if fresh:
            self.path(name).unlink(missing_ok=True)
        self.path(name).write_bytes(data)
        self.touch(name)

    def touch(self, name: str, _: object = 0) -> None:
        self.clock += 1
        if self.path(name).exists():
            tick(self.path(name), self.clock)

    def data(self, name: str) -> bytes:
        path = self.path(name)
        return path.read_bytes() if path.exists() else logs.pi(name, ["why was the retry dropped", "because it loops"])

    def append(self, name: str, text: str) -> None:
        data = self.data(name)
        self.put(name, data + logs.line(logs.pi_entry(data.count(b"\n"), text, role="assistant")))

    def torn(self, name: str, size: int) -> None:
        data = self.data(name)
        self.put(name, data + logs.line(logs.pi_entry(data.count(b"\n"), "torn off"))[:size])

    def truncate(self, name: str, share: int) -> None:
        data = self.data(name)
        self.put(name, data[: len(data) * share // 1_000])

    def early(self, name: str, share: int) -> None:
        data = bytearray(self.data(name))
        if data:
            at = min(len(data) * share // 1_000, len(data) - 1)
            if chr(data[at]).isalpha():
                data[at] ^= 1
        self.put(name, bytes(data))

    def replace(self, name: str, text: str) -> None:
        self.put(name, logs.pi(f"{name}-new", [text, text, text]), fresh=True)

    def delete(self, name: str, _: object) -> None:
        if self.path(name).exists():
            self.gone[name] = self.data(name)
            self.path(name).unlink()

    def restore(self, name: str, _: object) -> None:
        if name in self.gone:
            self.put(name, self.gone[name])

    def twin(self, name: str, _: object) -> None:
        self.put(f"{name}-twin", self.data(name))

    def fork(self, name: str, text: str) -> None:
        lines = self.data(name).split(b"\n")[1:-1]
        parent = str(self.path(name))
        head = logs.line(logs.pi_header(f"{name}-fork", parent=parent))
        copied = b"".join(line + b"\n" for line in lines)
        self.put(f"{name}-fork", head + copied + logs.line(logs.pi_entry(len(lines), text)))

    def garbage(self, name: str, data: bytes) -> None:
        self.put(name, self.data(name) + data)

    def empty(self, name: str, _: object) -> None:
        self.put(name, b"")

    def do(self, operation: tuple[str, str, object]) -> None:
        kind, name, value = operation
        getattr(self, kind)(name, value)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@example(steps=[[("append", "a", "retry")], [("truncate", "a", 0)]])
@example(steps=[[("append", "a", "retry")], [("truncate", "a", 0), ("fork", "a", "retry")]])
@example(steps=[[("append", "a", "retry"), ("fork", "a", "retry")], [("replace", "a", "retry")]])
@example(steps=[[("twin", "a", 0), ("fork", "a", "retry")], [("truncate", "a", 201)]])
@example(steps=[[("append", "a", "retry")], [("append", "a", "retry"), ("twin", "a", 0)]])
@given(steps=st.lists(st.lists(operations, min_size=1, max_size=3), min_size=1, max_size=7))
def test_after_any_changes_the_index_says_what_a_clean_build_says(steps: list[list[tuple[str, str, object]]]) -> None:
    with folder() as (history, root):
        shelf = Shelf(root)
        places = [Place("pi", str(root))]
        for step in steps:
            for operation in step:
                shelf.do(operation)
            sync(history, places)
            assert settled(history) == clean(places)


def claude_fork(session: str, parent: str, number: int) -> bytes:
    """A record of a Claude Code fork, which says in each record where it comes from."""
    return logs.line(logs.claude_entry(session, number, "retry", forkedFrom={"sessionId": parent, "messageUuid": "m"}))


@pytest.mark.parametrize(
    ("source", "name", "late"),
    [
        ("claude-code", "f.jsonl", claude_fork("f", "p", 2)),
        ("claude-code", "agent-7.jsonl", logs.line(logs.claude_entry("p", 2, "go on"))),
        ("codex", "f.jsonl", logs.line({"type": "session_meta", "payload": {"id": "f", "forked_from_id": "p"}})),
        ("gemini", "session-f.jsonl", logs.line({"sessionId": "p", "projectHash": "a"})),
    ],
)
def test_what_a_session_says_late_of_its_name_and_parent_marks_what_it_repeats(
    source: str, name: str, late: bytes
) -> None:
    spoken = {
        "claude-code": logs.lines(
            {**logs.claude_entry("p", at, "why the retry"), "sessionId": None} for at in range(2)
        ),
        "codex": logs.lines(
            {"type": "response_item", "payload": {"type": "message", "role": "user", "id": "m1", "content": "retry"}}
            for _ in range(2)
        ),
        "gemini": logs.line({"id": "m1", "type": "user", "content": "retry", "timestamp": logs.stamp(1)}),
    }[source]
    first = {
        "claude-code": b"",
        "codex": logs.line({"type": "session_meta", "payload": {"id": "p", "cwd": "/x"}}),
        "gemini": logs.line({"sessionId": "p", "projectHash": "a"}),
    }[source]
    with folder() as (history, root):
        places = [Place(source, str(root))]
        logs.write(root / "chats" / "p.jsonl", first + spoken)
        grown = logs.write(root / "chats" / name, spoken)
        sync(history, places)
        _append(grown, late)
        tick(grown, 5)
        sync(history, places)
        assert projection(history) == clean(places)


@pytest.mark.parametrize(("old", "new"), [("a", "z"), ("z", "a")])
def test_a_log_that_was_moved_is_found_where_it_is(old: str, new: str) -> None:
    def found(history: History) -> list[tuple[str, int, int]]:
        sql = "SELECT s.path, s.missing, count(*) FROM sessions s JOIN entries e ON e.session = s.key AND e.copy = 0"
        rows = history.rows(f"{sql} WHERE e.size > 0 GROUP BY s.key")
        return sorted((Path(path).stem, missing, count) for path, missing, count in rows)

    with folder() as (history, root):
        places = [Place("pi", str(root))]
        first = logs.write(root / f"{old}.jsonl", logs.pi("p", ["retry", "drop it", "why"]))
        sync(history, places)
        moved = first.rename(root / f"{new}.jsonl")
        sync(history, places)
        assert found(history) == [(new, 0, 3)]
        assert settled(history) == clean(places)
        shutil.copy2(moved, first)
        sync(history, places)
        assert found(history) == [("a", 0, 3)]
        assert projection(history) == clean(places)
        first.write_bytes(b"no log any more\n")
        tick(first, 9)
        sync(history, places)
        assert found(history) == [(new, 0, 3)]
        first.unlink()
        moved.unlink()
        sync(history, places)
        assert found(history) == [("a", 1, 3)]


@pytest.mark.parametrize("end", [b"\n", b"", b'\n{"type": "mess'], ids=["whole", "without its newline", "torn"])
def test_a_log_written_anew_within_its_size_is_read_anew(end: bytes) -> None:
    said = ["plain and long " * 400, "drop the retry", *["plain and long " * 400] * 20]
    data = logs.pi("p", said)[:-1] + end
    with folder() as (history, root):
        places = [Place("pi", str(root))]
        path = logs.write(root / "p.jsonl", data)
        tick(path, 1)
        sync(history, places)
        path.write_bytes(data.replace(b"drop the retry", b"keep the retry"))
        tick(path, 2)
        sync(history, places)
        assert projection(history) == clean(places)


@pytest.mark.parametrize("place", ["codex", "gemini"])
def test_whose_log_a_file_is_does_not_depend_on_what_it_held_before(place: str) -> None:
    begun = logs.line({"sessionId": "g", "projectHash": "a", "startTime": logs.stamp(0)})
    more = logs.line({"timestamp": logs.stamp(1), "type": "session_meta", "payload": {"id": "c", "cwd": "/x"}})
    with folder() as (history, root):
        places = [Place(place, str(root))]
        path = logs.write(root / "chats" / "session-x.jsonl", begun)
        tick(path, 1)
        sync(history, places)
        _append(path, more)
        tick(path, 2)
        sync(history, places)
        assert projection(history) == clean(places)
