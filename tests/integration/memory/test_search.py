"""Pins and memories are found by their words, wherever they are kept."""

import json
from typing import Any

import pytest

from tests.fakes.desk import Desk


def record(number: int, kind: str, **data: Any) -> dict[str, Any]:
    """A record as Pi appends it for us or for another engine."""
    stamp = f"2026-11-02T08:{number:02d}:00.000Z"
    mutation = {"schemaVersion": 1, "mutationId": f"m{number}", "createdAt": number, **data}
    base = {"type": "custom", "id": f"c{number}", "parentId": "e1", "timestamp": stamp}
    return {**base, "customType": f"ds4-context-{kind}-v1", "data": mutation}


def item(name: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "scope": "session", "createdAt": 1, **fields}


@pytest.fixture
def kept(desk: Desk) -> Desk:
    """A session of Pi that keeps a pin and two memories, and a person who keeps another."""
    log = desk.pi("p1", ["hello", "there"])
    pinned = item("pin-1", content="Never touch the CRANE schedule", classification="local-only")
    first = item("mem-1", claim="the crane is number seven", key="crane", sourceEntryIds=[])
    second = item("mem-2", claim="the crane is number nine", sourceEntryIds=[])
    rows = [
        record(1, "pin", operation="add", item=pinned),
        record(2, "memory", operation="add", item=first),
        record(3, "memory", operation="supersede", previousId="mem-1", item=second),
        record(4, "memory", operation="add", item={**item("mem-3"), "claim": 7}),
    ]
    with log.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    desk.claude("c1", ["hello", "there"])
    desk.ask("index")
    assert desk.run("pin", "c1", "the harbour crane is loud").code == 0
    return desk


def ids(desk: Desk, *words: str) -> list[str]:
    """What is found; ids of what a person keeps are made up, so these are named by where they are kept."""
    found = desk.run("memory", "search", *words, "--json").json["items"]
    return [one["id"] if one["file"] else "ours" for one in found]


def test_what_sessions_and_people_keep_is_found_by_all_of_its_words(kept: Desk) -> None:
    assert ids(kept, "crane") == ["ours", "mem-2", "pin-1"]
    assert ids(kept, "schedule", "crane") == ["pin-1"]
    assert ids(kept, "crane schedule") == ["pin-1"]
    assert ids(kept, "crane", "submarine") == []
    assert "Never touch the CRANE schedule" in kept.run("memory", "search", "schedule").out


def test_what_has_ended_is_found_when_asked_for(kept: Desk) -> None:
    assert ids(kept, "seven") == []
    assert ids(kept, "seven", "--all") == ["mem-1"]
    assert ids(kept, "the crane is number", "--all") == ["mem-2", "mem-1"]


def test_a_search_that_finds_no_entry_points_to_it(kept: Desk) -> None:
    told = kept.run("search", "schedule").out + kept.run("search", "schedule").err
    assert "a pin or memory holds these words; to see that, run: backstory memory search WORDS" in told
    assert "memory search" not in kept.run("search", "submarine").out


def test_no_more_than_asked_for(kept: Desk) -> None:
    answer = kept.run("memory", "search", "crane", "--limit", "1", "--json").json
    assert len(answer["items"]) == 1
    assert answer["warnings"] == ["2 more; --limit shows them"]
    assert kept.run("memory", "search", "crane", "--limit", "0").code == 2
    assert kept.run("memory", "search", " ").code == 2
