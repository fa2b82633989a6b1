"""Every statement fits the schema, shipped migrations never change, and hot statements keep their indexes."""

import hashlib
import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import apsw
import apsw.ext
import pytest

from backstory.store.history import History, open_history
from backstory.store.live import Overlay
from backstory.store.migrate import migrations
from backstory.store.project.database import ProjectStore
from backstory.store.project.search import ProjectSearch
from backstory.store.statements import load

HERE = Path(__file__).parent
STORE = Path(str(resources.files("backstory.store")))
MIGRATIONS = STORE / "migrations"
DATABASES = ("history", "project")
FILES = sorted(
    str(file.relative_to(STORE).with_suffix("")) for file in STORE.rglob("*.sql") if MIGRATIONS not in file.parents
)


def names() -> list[tuple[str, str]]:
    listed = ((file, name) for file in FILES for name in vars(load(file)))
    return [
        (file, name)
        for file, name in listed
        if not name.endswith(("columns", "applies")) and (file, name) != ("live", "create")
    ]


@pytest.fixture(scope="module")
def history() -> Iterator[History]:
    opened = open_history(":memory:")
    Overlay(opened, str.encode)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def project() -> Iterator[apsw.Connection]:
    with ProjectStore(":memory:") as store:
        ProjectSearch(store)
        yield store.connection


def whole(file: str, name: str) -> str:
    """A statement with its open places filled in as plainly as possible."""
    sql: str = getattr(load(file), name)
    parts = vars(load(file))
    return re.sub(r"\{(\w*)\}", lambda found: parts.get(f"{found[1]}_columns") or parts.get(found[1]) or "", sql)


@pytest.mark.parametrize(("file", "name"), names())
def test_every_statement_can_be_prepared(history: History, project: apsw.Connection, file: str, name: str) -> None:
    db = project if file.startswith("project/") else history.db
    for statement in filter(str.strip, re.split(r";\s*\n", whole(file, name))):
        assert apsw.ext.query_info(db, f"EXPLAIN {statement}").is_explain == 1


def test_shipped_migrations_never_change() -> None:
    now = {
        f"{database}/{step.version:04}_{step.name}": step.checksum
        for database in DATABASES
        for step in migrations(database)
    }
    files = {
        f"{path.parent.name}/{path.stem}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in MIGRATIONS.glob("*/*.sql")
    }
    assert now == files, "store/migrations/<database>.sha256 lists what `sha256sum *.sql` says there"
    pinned: dict[str, str] = json.loads((HERE / "migrations.json").read_text(encoding="utf-8"))
    assert now == pinned


@pytest.mark.parametrize("database", DATABASES)
def test_migrations_are_numbered_without_gaps_and_say_why(database: str) -> None:
    steps = migrations(database)
    assert [step.version for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.sql.startswith("-- ") for step in steps)


HOT = (
    ("sessions", "by_path"),
    ("sessions", "stamps"),
    ("sessions", "namesakes"),
    ("sessions", "root"),
    ("entries", "ids_from"),
    ("entries", "nodes"),
    ("entries", "hashes"),
    ("entries", "set_surface"),
    ("entries", "said_from"),
    ("passages", "spans"),
    ("passages", "open_span"),
    ("copies", "copies"),
    ("copies", "originals"),
    ("copies", "namesakes"),
    ("copies", "later"),
    ("copies", "within"),
    ("copies", "of"),
    ("statistics", "word_first"),
    ("statistics", "word_last"),
    ("search", "words"),
    ("search", "newest_words"),
    ("search", "results"),
    ("search", "newest_results"),
    ("search", "passage_evidence"),
    ("search", "with_text"),
    ("search", "with_phrase"),
    ("search", "admitted"),
    ("search", "said_at"),
    ("search", "newest"),
    ("hits", "hits"),
    ("hits", "entry_places"),
    ("hits", "session_places"),
    ("literal", "phrase"),
    ("literal", "word"),
    ("literal", "keys"),
    ("literal", "sizes"),
    ("literal", "lengths"),
    ("literal", "ranges"),
    ("pieces", "matching"),
    ("pieces", "places"),
    ("pieces", "latest"),
    ("pieces", "ranges"),
    ("pieces", "texts"),
    ("pieces", "scanned_of"),
    ("handles", "unclear"),
    ("handles", "shared"),
    ("browse", "named"),
    ("browse", "seqs"),
    ("recall", "holding"),
    ("recall", "spoken"),
    ("recall", "gained_spoken"),
    ("recall", "gained_held"),
    ("recall", "elsewhere"),
    ("recall", "texts"),
    ("mutations", "unread"),
    ("mutations", "gone"),
    ("mutations", "tied"),
    ("memory", "ids"),
    ("memory", "listed"),
    ("memory", "matching"),
    ("memory", "applying"),
    ("memory", "newest"),
    ("manifests", "reported"),
    ("manifests", "latest"),
)


def plan(db: apsw.Connection, sql: str) -> list[str]:
    def steps(step: apsw.ext.QueryPlan, depth: int) -> Iterator[str]:
        yield "  " * depth + step.detail
        for inner in step.sub or ():
            yield from steps(inner, depth + 1)

    found = apsw.ext.query_info(db, sql, explain_query_plan=True).query_plan
    assert found
    return [line for step in found.sub or () for line in steps(step, 0)]


def test_hot_statements_keep_their_plans(history: History) -> None:
    now = {f"{file}.{name}": plan(history.db, whole(file, name)) for file, name in HOT}
    pinned: dict[str, list[str]] = json.loads((HERE / "plans.json").read_text(encoding="utf-8"))
    assert now == pinned


def test_hot_statements_never_scan_the_large_tables(history: History) -> None:
    pattern = re.compile(r"SCAN (entries|e|t|texts|earlier|original|passage_spans)\b(?! USING)")
    scans = {
        f"{file}.{name}": line
        for file, name in HOT
        for line in plan(history.db, whole(file, name))
        if pattern.search(line) and (file, name) != ("search", "newest")
    }
    assert scans == {}
