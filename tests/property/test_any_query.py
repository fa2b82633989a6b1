"""Nothing a person types is an error, and nothing an agent wrote keeps a session from being read."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backstory.engine.indexing import index
from backstory.engine.open import Engine, open_engine
from backstory.engine.sessions import search
from backstory.errors import InvalidQueryError
from backstory.records.indexing import IndexRequest
from backstory.records.searching import SearchRequest
from backstory.sources import registry
from backstory.sources.discover import Place
from backstory.store.history import open_history
from tests.fakes import logs
from tests.fakes.projection import sync

HARD = (
    "foo_bar",
    "src/a.py:12",
    "--flag",
    "E0401",
    "don't",
    "c++",
    "#123",
    ".env",
    "status:500",
    "50%",
    "a@b.c",
    "rm -rf",
    "error-401",
    "wrong-book OR x",
    'an "open quote',
    "NEAR(",
    "NEAR(a b, 2)",
    "*",
    "a*",
    "^a",
    "-a",
    "+a",
    "a AND",
    "NOT a",
    "{said}: x",
    "said:x",
    '"',
    '""',
    "'",
    "(",
    ")",
    "🚀",
    "!?.,;",
    "\u0301",
    "\u200b",
    "修改youer",
    "a" * 5_000,
    "x " * 3_000,
    "agent:",
    "before:x",
    "kind:*",
    "%",
    "_",
    "\\",
    "\ufffd",
    "\ue000",
    "path:% tool:_",
    "surface:current",
    "\x01",
    "a\u2028b",
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("any")
    logs.write(root / ".pi/agent/sessions/p.jsonl", logs.pi("p", [f"say {text} to it" for text in HARD]))
    with open_engine(root / "data", env={"HOME": str(root)}) as opened:
        index.index(opened, IndexRequest())
        yield opened


def ask(engine: Engine, text: str, **more: Any) -> int:
    try:
        return len(search.find(engine, SearchRequest(query=(text,), no_sync=True, **more)).items)
    except InvalidQueryError:
        assert "\0" in text or not text.strip()
        return 0


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=st.one_of(st.text(), st.lists(st.sampled_from(HARD)).map(" ".join)))
def test_any_text_is_a_query(engine: Engine, text: str) -> None:
    for mode in ({}, {"exact": True}, {"sessions": True}, {"sessions": True, "exact": True}):
        ask(engine, text, **mode)


@pytest.mark.parametrize("text", ["\ud800", "x\udfffy kind:prompt", 'agent:"\udc80"'])
def test_half_a_pair_is_refused_like_an_empty_query(engine: Engine, text: str) -> None:
    with pytest.raises(InvalidQueryError):
        search.find(engine, SearchRequest(query=(text,), no_sync=True))


@pytest.mark.parametrize("text", HARD)
def test_hard_texts_are_found_as_they_stand(engine: Engine, text: str) -> None:
    assert ask(engine, text, exact=True) >= 1
    ask(engine, text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**25), 10**25) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
STARTS = {
    "pi": logs.pi_header("s"),
    "claude-code": logs.claude_entry("s", 0, "x"),
    "codex": {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/x"}},
    "dsh": {"type": "session", "version": 3, "id": "s", "createdAt": logs.BASE, "cwd": "/x"},
    "gemini": {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z"},
    "runtime": {"type": "ds4-runtime-session-v1", "runtimeId": "r", "sessionId": "s", "projectRoot": "/x"},
}
SAMPLES = Path(__file__).parents[1] / "fixtures" / "sources"


def known_records(name: str) -> list[dict[str, Any]]:
    found = []
    for path in sorted((SAMPLES / name).rglob("*.jsonl")):
        for raw in path.read_bytes().split(b"\n"):
            try:
                record = json.loads(raw.decode("utf-8", "replace"))
            except ValueError:
                continue
            if isinstance(record, dict) and len(raw) < 4_000:
                found.append(record)
    return found


def mutated(record: Any, path: list[int], value: Any) -> Any:
    """The record with one of its parts, found by a walk of numbers, replaced."""
    if not path or not isinstance(record, dict | list) or not record:
        return value
    keys = list(record) if isinstance(record, dict) else list(range(len(record)))
    key = keys[path[0] % len(keys)]
    changed = dict(record) if isinstance(record, dict) else list(record)
    changed[key] = mutated(record[key], path[1:], value)
    return changed


@pytest.mark.parametrize("name", registry.names())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_records_of_any_shape_cost_no_session(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    records = known_records(name)
    chosen = data.draw(
        st.lists(st.tuples(st.sampled_from(records), st.lists(st.integers(0, 9), max_size=4), json_values), max_size=5)
    )
    strange = [mutated(record, path, value) for record, path, value in chosen]
    path = tmp_path_factory.mktemp("shape") / "s.jsonl"
    logs.write(path, logs.lines([STARTS[name], *(one for one in strange if isinstance(one, dict))]))
    history = open_history(":memory:")
    report = sync(history, [Place(name, str(path.parent))])
    assert report.problems == []
    assert history.db.execute("SELECT count(*) FROM sessions").fetchall() == [(1,)]
    history.close()
