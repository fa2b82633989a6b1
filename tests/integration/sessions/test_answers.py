"""A question finds what was answered beside its words, and what was said at the time it names."""

from typing import Any

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk

DAY = 24 * 60
ASKED = "which colour did we settle on for the heading of the report"
QUESTION = "which colour was it for the heading of our report"
TOLD = "teal, and nothing brighter"


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """One session with the question and its answer, a tool result behind them, and others about something else."""
    records = [
        logs.pi_header("answer"),
        logs.pi_entry(0, "\n\n", role="assistant"),
        logs.pi_entry(1, ASKED),
        logs.pi_entry(2, TOLD, role="assistant"),
        logs.pi_result(3, "ran for three seconds"),
    ]
    desk.put(desk.pi_folder / "answer.jsonl", logs.lines(records))
    for number in range(6):
        desk.pi(f"s{number}", [f"wash the tram number {number}", "a tram is washed", "the report is late"])
    desk.ask("index")
    return desk


def found(desk: Desk, *words: str) -> list[str]:
    items: list[Any] = desk.ask("search", "--no-sync", "--entries", "--limit", "50", "--", *words)["items"]
    return [hit["snippet"] for hit in items]


def test_an_answer_in_other_words_stands_behind_its_question(filled: Desk) -> None:
    assert found(filled, QUESTION)[:2] == [ASKED, TOLD]
    assert not {"ran for three seconds", ""} & {text.strip() for text in found(filled, QUESTION)}


def test_it_does_not_where_a_few_words_an_exact_phrase_or_a_filter_rule_it_out(filled: Desk) -> None:
    for query in ("heading report", f'{QUESTION} "of the report"', f"{QUESTION} role:user"):
        assert found(filled, query)[0] == ASKED
        assert TOLD not in found(filled, query)


def test_a_copy_beside_the_words_is_not_shown(desk: Desk) -> None:
    before = [logs.pi_entry(0, "paint a tram"), logs.pi_entry(1, TOLD, role="assistant")]
    parent = desk.put(desk.pi_folder / "a.jsonl", logs.lines([logs.pi_header("a"), *before]))
    fork = [logs.pi_header("b", parent=str(parent)), *before, logs.pi_entry(2, ASKED)]
    desk.put(desk.pi_folder / "b.jsonl", logs.lines(fork))
    desk.ask("index")
    assert found(desk, QUESTION) == [ASKED]


def test_a_session_of_the_time_named_comes_first(desk: Desk) -> None:
    for name, day in (("s1", 3), ("s2", 12), ("s3", 25)):
        records = [
            logs.pi_header(name),
            *(logs.pi_entry(day * DAY + at, f"paint the tram number {at}") for at in range(2)),
        ]
        desk.put(desk.pi_folder / f"{name}.jsonl", logs.lines(records))
    desk.ask("index")

    def first(query: str) -> set[str]:
        return {
            desk.ask("search", "--no-sync", mode, "--", query)["items"][0]["session_id"]
            for mode in ("--sessions", "--entries")
        }

    # The days of a log are counted from the first of January.
    for query, name in (
        ("who painted a tram on January 4, 2026", "s1"),
        ("paint tram 2026-01-13", "s2"),
        ("tram painted on the 26th of January", "s3"),
        ("who painted a tram in January 2026", "s3"),
        ("who painted a tram on January 4, 2025", "s3"),
    ):
        assert first(query) == {name}, query


def test_a_log_full_of_the_numbers_of_a_date_does_not_pass_for_what_was_said_then(desk: Desk) -> None:
    for name, day, text in (("then", 12, "wash the tram"), ("later", 20, "wash the tram: January 13 2026, 13 2026")):
        records = [logs.pi_header(name), logs.pi_entry(day * DAY, text)]
        desk.put(desk.pi_folder / f"{name}.jsonl", logs.lines(records))
    desk.ask("index")
    for mode in ("--sessions", "--entries"):
        ask = ("search", "--no-sync", mode, "--")
        assert desk.ask(*ask, "who washed the tram on January 13, 2026")["items"][0]["session_id"] == "then"
        assert desk.ask(*ask, "January 13, 2026")["items"][0]["session_id"] == "later", "a date alone is words"
