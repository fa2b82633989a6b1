"""The live tables are twins of the stored ones, and statements find them."""

import re
from typing import Any

import pytest

from backstory.store import literal, query, search
from backstory.store.history import History, open_history
from backstory.store.live import Overlay
from backstory.store.statements import live, load


@pytest.fixture
def history() -> History:
    found = open_history(":memory:")
    Overlay(found, str.encode)
    return found


@pytest.mark.parametrize("table", ["entries", "texts", "passage_spans", "literal", "words", "passages", "word_terms",
                                   "literal_terms", "passage_terms", "literal_places"])  # fmt: skip
def test_twins_have_the_same_columns(history: History, table: str) -> None:
    stored, twin = (
        [name for (name,) in history.db.execute("SELECT name FROM pragma_table_info(?)", (name,))]
        for name in (table, f"live_{table}")
    )
    assert twin == stored


@pytest.mark.parametrize("table", ["literal", "words", "passages"])
def test_twins_have_the_same_tokenizers(history: History, table: str) -> None:
    sql = "SELECT sql FROM {} WHERE name = ?"
    ((stored,),) = history.db.execute(sql.format("sqlite_schema"), (table,)).fetchall()
    ((twin,),) = history.db.execute(sql.format("sqlite_temp_schema"), (f"live_{table}",)).fetchall()
    assert "".join(str(twin).split()).replace("TABLElive_", "TABLE") == "".join(str(stored).split())


ASKED = ("search", "statistics", "vocabulary", "hits")


@pytest.mark.parametrize(("file", "name"), [(file, name) for file in ASKED for name in sorted(vars(load(file)))])
def test_every_search_can_be_asked_of_the_twins(history: History, file: str, name: str) -> None:
    text = live(search.visible(history, getattr(load(file), name), search.NOTHING))
    tables = set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", text)) - {"json_each", "latest"}
    assert tables
    assert all(table.startswith("live_") for table in tables)
    given: Any = dict.fromkeys(re.findall(r":(\w+)", text)) or [None] * text.count("?")
    history.db.execute(f"EXPLAIN {text}", given)


@pytest.mark.parametrize("name", ["phrase", "word", "keys", "sizes", "ranges"])
def test_literal_search_can_be_asked_of_the_twins(history: History, name: str) -> None:
    text = live(search.visible(history, getattr(literal.SQL, name), search.NOTHING))
    assert "live_entries" in text or "live_literal" in text
    given: Any = dict.fromkeys(re.findall(r":(\w+)", text)) or [None] * text.count("?")
    history.db.execute(f"EXPLAIN {text}", given)


def test_only_table_names_are_turned() -> None:
    given = "SELECT s.entries, e.words, :texts FROM sessions s JOIN entries e JOIN words f WHERE f.words MATCH 1"
    assert live(given) == (
        "SELECT s.entries, e.words, :texts FROM live_sessions s JOIN live_entries e JOIN live_words f "
        "WHERE f.live_words MATCH 1"
    )


def test_hidden_sessions_are_in_no_statement_unless_there_are_some(history: History) -> None:
    asked: list[str] = []

    def noted(_: Any, sql: str, __: Any) -> bool:
        asked.append(sql)
        return True

    history.db.exec_trace = noted
    assert query.by_keys(history, [1]) == {}
    assert not any("hidden" in sql for sql in asked)
    asked.clear()
    history.hiding = True
    assert query.by_keys(history, [1]) == {}
    assert all("hidden" in sql for sql in asked)
    assert asked
