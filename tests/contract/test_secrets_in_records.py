"""Wherever in a record a credential stands, no column keeps it but those of ids."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.sources import registry
from backstory.sources.discover import Place
from backstory.store.history import History, open_history
from tests.fakes import logs
from tests.fakes.projection import sync

SAMPLES = Path(__file__).parents[1] / "fixtures" / "sources"
# Put together here, so that no scanner takes it for a real one.
SECRET = "ghp" + "_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
MARK = "A1b2C3d4E5f6G7h8"
# What agents call things is kept as it stands, since it is looked up; an agent names nothing by a credential.
IDS = {"entry_id", "parent_id", "call_ids", "target", "tip"}
Where = tuple[str | int, ...]


def strings(value: Any, path: Where = ()) -> Iterator[Where]:
    if isinstance(value, str):
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from strings(part, (*path, key))


def replaced(value: Any, path: Where, new: str) -> Any:
    if not path:
        return new
    changed: Any = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed


def changed_logs(name: str) -> Iterator[tuple[Path, bytes]]:
    """The samples of a source with a credential in the place of one string, each kind of place once."""
    seen: set[tuple[Any, ...]] = set()
    for sample in sorted((SAMPLES / name).rglob("*.jsonl")):
        rows = sample.read_bytes().split(b"\n")[:40]
        for at, raw in enumerate(rows):
            try:
                record = json.loads(raw)
            except ValueError:
                continue
            for path in strings(record):
                shape = (record.get("type"), *(part if isinstance(part, str) else 0 for part in path))
                if shape not in seen:
                    seen.add(shape)
                    changed = logs.line(replaced(record, path, f"see {SECRET} there")).rstrip(b"\n")
                    yield sample.relative_to(SAMPLES / name), b"\n".join([*rows[:at], changed, *rows[at + 1 :]])


def kept(history: History) -> set[str]:
    found = set()
    for table in ("sessions", "entries", "texts", "damage", "ignored", "literal_terms", "word_terms", "passage_terms"):
        for column in [row[1] for row in history.db.execute(f"PRAGMA table_info({table})")]:
            sql = f"SELECT 1 FROM {table} WHERE CAST({column} AS TEXT) LIKE ? LIMIT 1"  # noqa: S608
            if list(history.db.execute(sql, (f"%{MARK}%",))):
                found.add(column)
    return found


@pytest.mark.parametrize("name", registry.names())
def test_no_column_keeps_it(tmp_path: Path, name: str) -> None:
    for number, (path, data) in enumerate(changed_logs(name)):
        logs.write(tmp_path / str(number) / path, data)
    history = open_history(":memory:")
    try:
        report = sync(history, [Place(name, str(tmp_path))])
        assert sum(row.sessions for row in report.sources.values()) > 10
        assert kept(history) <= IDS
    finally:
        history.close()
