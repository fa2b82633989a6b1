"""A filter given more than once: its values widen, of dates the narrowest count; the same on every surface."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk


def called(number: int, tool: str, path: str) -> dict[str, Any]:
    record = logs.pi_entry(number, "x", role="assistant")
    record["message"]["content"] = [
        {"type": "toolCall", "id": f"c{number}", "name": tool, "arguments": {"path": path, "text": "kumquat"}}
    ]
    return record


@pytest.fixture
def orchard(desk: Desk) -> Desk:
    records = [
        logs.pi_header("p1", cwd="/home/ada/Orchard"),
        logs.pi_entry(0, "kumquat please"),
        called(1, "edit", "src/a.py"),
        called(2, "write", "src/b.py"),
        called(3, "bash", "c.txt"),
    ]
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines(records))
    desk.pi("p2", ["a kumquat too"], cwd="/home/ada/shop")
    desk.pi("p3", ["the last kumquat"], cwd="/srv/barn")
    return desk


def numbers(hits: Sequence[Any]) -> list[tuple[str, int]]:
    return sorted((hit.get("session_id") or hit["session"], hit["seq"]) for hit in hits)


def asked(desk: Desk, *words: str) -> Any:
    answer = desk.run("query", *words, "--json")
    assert answer.code == 0, answer.err
    return answer.json["items"]


@pytest.mark.parametrize("word", ["kumquat ", ""])
@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ("tool:edit tool:write", [("p1", 1), ("p1", 2)]),
        ("tool:write tool:edit tool:none", [("p1", 1), ("p1", 2)]),
        ("path:b.py path:c.txt", [("p1", 2), ("p1", 3)]),
        ("path:src path:c.txt tool:edit tool:bash", [("p1", 1), ("p1", 3)]),
        ("project:shop project:barn", [("p2", 0), ("p3", 0)]),
        ("after:2026-01-01T00:02 after:2025", [("p1", 2), ("p1", 3)]),
        ("after:2025 after:2026-01-01T00:02", [("p1", 2), ("p1", 3)]),
        ("before:2026-01-01T00:02 before:2027 project:orchard", [("p1", 0), ("p1", 1)]),
        ("before:2027 before:2026-01-01T00:02 project:orchard", [("p1", 0), ("p1", 1)]),
        ("after:2026-01-01T00:02 after:soon", [("p1", 2), ("p1", 3)]),
    ],
)
def test_values_of_a_filter_widen_and_dates_narrow(
    orchard: Desk, word: str, filters: str, wanted: list[tuple[str, int]]
) -> None:
    assert numbers(orchard.hits(f"{word}{filters}")) == wanted


def test_each_date_that_is_none_is_named(orchard: Desk) -> None:
    told = orchard.ask("search", "kumquat after:soon after:2025 after:later")["warnings"]
    assert [one.split(" ")[0] for one in told] == ["after:soon", "after:later"]


def test_more_values_than_sqlite_joins_are_no_error(orchard: Desk) -> None:
    many = " ".join(f"tool:{number}tool" for number in range(2_000))
    assert numbers(orchard.hits(f"kumquat {many} tool:edit")) == [("p1", 1)]


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (("--tool", "edit", "--tool", "write"), [("p1", 1), ("p1", 2)]),
        (("--path", "b.py", "--path", "c.txt"), [("p1", 2), ("p1", 3)]),
        (("--project", "shop", "--project", "BARN"), [("p2", 0), ("p3", 0)]),
    ],
)
def test_repeated_flags_of_a_query_widen(orchard: Desk, flags: tuple[str, ...], wanted: list[tuple[str, int]]) -> None:
    for mode in ("literal", "relevance"):
        assert numbers(asked(orchard, "search-events", "kumquat", "--mode", mode, *flags)) == wanted


def test_events_of_one_session_are_listed_by_any_of_several_tools(orchard: Desk) -> None:
    listed = asked(orchard, "list-events", "p1", "--tool", "edit", "--tool", "bash")
    assert [one["seq"] for one in listed] == [1, 3]


def test_a_list_takes_several_projects_in_either_case(orchard: Desk) -> None:
    several = ("--project", "shop", "--project", "orchard")
    assert {one["session_id"] for one in orchard.ask("sessions", *several)["items"]} == {"p1", "p2"}
    assert {one["id"] for one in asked(orchard, "list-sessions", *several)} == {"p1", "p2"}
    absent = orchard.ask("sessions", "--project", "x1", "--project", "x2")["warnings"]
    assert absent == ["none of 3 sessions meets --project x1 --project x2"]
