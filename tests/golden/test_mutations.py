"""The record shapes that other programs share: each is understood, what we write has them, others are refused."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.engine import context
from backstory.engine.memory import commands, proposals
from backstory.engine.memory import state as memory_state
from backstory.plan.memory.fold import fold
from backstory.records.memory import Kept, Mutation
from backstory.records.memory_requests import (
    MemoryAddRequest,
    MemoryEndRequest,
    MemorySupersedeRequest,
    PinRequest,
    UnpinRequest,
)
from tests.fakes import logs
from tests.fakes.indexed import indexed

RECORDS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "mutations.json").read_text(encoding="utf-8"))
NAMES = [record["name"] for record in RECORDS]


def state(count: int) -> dict[str, Kept]:
    """What the first records fold to."""
    found = [
        Mutation(record["type"], "s", f"x{at}", at, record["data"], parent="e9", project=logs.HOME)
        for at, record in enumerate(RECORDS[:count])
    ]
    folded = fold(found)
    assert folded.warnings == ()
    return {item.id: item for item in (*folded.memories, *folded.pins)}


@pytest.mark.parametrize("name", NAMES)
def test_a_record_has_the_effect_it_always_had(name: str) -> None:
    at = NAMES.index(name)
    effect = RECORDS[at]["effect"]
    item = msgspec.to_builtins(state(at + 1)[effect["id"]])
    assert {key: list(item[key]) if key == "sources" else item[key] for key in effect} == effect


def without(record: dict[str, Any], path: tuple[str, ...], value: Any = None) -> Any:
    data = deepcopy(record["data"])
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return data


BREAKING: list[tuple[tuple[str, ...], Any]] = [
    (("schemaVersion",), 2),
    (("schemaVersion",), True),
    (("mutationId",), ""),
    (("createdAt",), "today"),
    (("operation",), "forget"),
    (("operation",), None),
    (("item", "id"), None),
    (("item", "scope"), "world"),
    (("item", "createdAt"), None),
    (("item", "claim"), 7),
    (("item", "content"), 7),
    (("item", "classification"), "secret"),
    (("item", "sourceEntryIds"), "e1"),
    (("item", "sourceEntryId"), 4),
    (("previousId",), 3),
    (("memoryId",), None),
    (("pinId",), None),
    (("status",), "active"),
    (("reason",), 9),
]


def has(data: dict[str, Any], path: tuple[str, ...]) -> bool:
    for key in path[:-1]:
        data = data.get(key, {})
    return path[-1] in data


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [(record["name"], path, value) for record in RECORDS for path, value in BREAKING if has(record["data"], path)],
)
def test_a_record_of_another_shape_does_not_count(name: str, path: tuple[str, ...], value: Any) -> None:
    record = RECORDS[NAMES.index(name)]
    broken = Mutation(record["type"], "s", "x", 0, without(record, path, value), project=logs.HOME)
    folded = fold([broken])
    assert (len(folded.warnings), folded.memories, folded.pins) == (1, (), ())


def test_what_is_written_has_these_shapes(tmp_path: Path) -> None:
    logs.write(tmp_path / "logs" / "s.jsonl", logs.pi("s", ["the build is slow", "so it is"]))
    written: list[dict[str, Any]] = []
    with indexed(tmp_path / "data", tmp_path / "logs") as engine:
        first = commands.add(
            engine,
            MemoryAddRequest(
                session="s", text=("the build is slow",), scope="project", classification="internal", source=("e0000",)
            ),
        ).item
        newer = commands.supersede(
            engine, MemorySupersedeRequest(session="s", memory=first.id, text=("the build is fast",))
        ).item
        commands.expire(engine, MemoryEndRequest(session="s", memory=newer.id, reason="a new machine"))
        pin = commands.pin(
            engine, PinRequest(session="s", text=("keep",), scope="branch", source="e0001", file="vendor/a.go")
        ).item
        again = commands.pin(engine, PinRequest(session="s", text=("keep it",), scope="branch", supersedes=pin.id)).item
        commands.unpin(engine, UnpinRequest(session="s", pin=again.id))
        with engine.history.read():
            given = context.load(engine, "s", hard=0)
        proposal = proposals.remember(
            engine, given, memory_state.kept(engine, given), MemoryAddRequest(session="s", text=("a fact",))
        )
        written.append({"custom_type": proposal.type, "payload": proposals.payload(engine, proposal)})
    lines = (tmp_path / "data" / "canonical" / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    written += [record for record in map(json.loads, lines) if record["type"] == "memory-mutation"]
    assert len(written) == 7
    for record in written:
        fields = shape(record["payload"])
        like = [one["data"] for one in RECORDS if one["type"] == record["custom_type"]]
        known = {path: kind for data in like for path, kind in shape(data).items()}
        same = (data for data in like if data["operation"] == record["payload"]["operation"])
        always = set.intersection(*(set(shape(data)) for data in same))
        assert fields.items() <= known.items()
        assert always - {"reason", "item.projectPath", "item.mood", "later"} <= fields.keys()


def shape(data: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """The types of all fields by their path; whole and broken numbers are one type in JSON."""
    found: dict[str, str] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            found |= shape(value, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = "number" if type(value) in {int, float} else type(value).__name__
    return found
