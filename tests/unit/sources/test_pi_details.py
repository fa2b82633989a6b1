"""What compaction entries say beside their text: both shapes in which another engine leaves it, and what is none."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from backstory.records.summary import Provenance, SummaryDetails, SummaryPart
from backstory.sources.adapters.pi import details
from backstory.sources.adapters.pi.source import Pi

FIXTURES = Path(__file__).parents[2] / "fixtures" / "compactions"
HASH = "a" * 64


def raws(name: str) -> dict[str, bytes]:
    lines = (FIXTURES / name).read_bytes().splitlines()
    return {json.loads(line)["id"]: line for line in lines}


def given(name: str = "v2.jsonl", entry: str = "b0000007") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(raws(name)[entry])["details"]
    return found


def test_the_first_shape_is_a_segment_of_its_own() -> None:
    assert Pi().details(raws("v1.jsonl")["a0000005"]) == SummaryDetails(
        read=("berths.toml",),
        modified=("plan.md",),
        provenance=Provenance(
            version=1, id="summary-harbour-1", kind="segment", level=0, segment="summary-harbour-1",
            sources=("a0000001", "a0000002"), children=(), source_hash=HASH, status="valid", issues=(),
            kept="a0000003", tokens=4226, reason="threshold", split=False, messages=2, generated=1793607000000,
            provider="local", model="qwen",
        ),
    )  # fmt: skip


def test_the_second_shape_keeps_the_summaries_it_was_made_from() -> None:
    found = Pi().details(raws("v2.jsonl")["b0000007"])
    assert (found.read, found.modified, found.problem) == (("berths.toml", "plan.md"), ("plan.md",), None)
    made = found.provenance
    assert made is not None
    assert (made.version, made.kind, made.level, made.segment) == (2, "aggregate", 1, "summary-segment-2")
    assert made.children == ("summary-segment-1", "summary-segment-2")
    assert made.sources == ("b0000001", "b0000002", "b0000004", "b0000005")
    assert (made.status, made.issues) == ("warning", ("unsupported-exact-spans-unquoted",))
    assert (made.reason, made.split, made.messages) == ("proactive", True, 4)
    assert made.parts == (
        SummaryPart(
            "summary-segment-2", "segment", 0, ("b0000002", "b0000004", "b0000005"), (), "b" * 64, "valid",
            created=1793607000500, chars=len("## Objective\n- Book crane 7 for Monday"), provider="local", model="qwen",
        ),
    )  # fmt: skip


def test_pi_itself_names_files_only() -> None:
    assert Pi().details(raws("v2.jsonl")["b0000009"]) == SummaryDetails(read=("cranes.md",), leaf="b0000005")


MANDATORY = (
    "schemaVersion", "contractVersion", "summaryId", "sourceHash", "sourceEntryIds", "validationStatus",
    "validationIssueCodes", "firstKeptEntryId", "tokensBefore", "reason", "isSplitTurn", "messageCount", "generatedAt",
    "provider", "model",
)  # fmt: skip
GRAPH = ("summaryKind", "childSummaryIds", "graphLevel", "segmentSummaryId", "embeddedNodes")
NODE = (
    "id", "kind", "content", "sourceHash", "sourceEntryIds", "childSummaryIds", "graphLevel", "createdAt",
    "validationStatus", "validationIssueCodes",
)  # fmt: skip


@pytest.mark.parametrize("wrong", ["absent", None, {"of": "another type"}])
@pytest.mark.parametrize("field", [*MANDATORY, *GRAPH])
def test_a_field_that_lacks_or_is_of_another_type_leaves_no_provenance(field: str, wrong: object) -> None:
    value = given()
    value[details.KEY].pop(field) if wrong == "absent" else value[details.KEY].__setitem__(field, wrong)
    found = details.read(value)
    assert found.provenance is None
    assert found.problem
    assert found.modified == ("plan.md",)


@pytest.mark.parametrize("wrong", ["absent", {"of": "another type"}])
@pytest.mark.parametrize("field", NODE)
def test_one_bad_summary_beside_it_spoils_all_of_it(field: str, wrong: object) -> None:
    value = given()
    nodes = value[details.KEY]["embeddedNodes"]
    nodes.append(deepcopy(nodes[0]))
    nodes[1].pop(field) if wrong == "absent" else nodes[1].__setitem__(field, wrong)
    assert details.read(value).provenance is None


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("schemaVersion", 3),
        ("schemaVersion", True),
        ("schemaVersion", "2"),
        ("contractVersion", 2),
        ("validationStatus", "perfect"),
        ("reason", "boredom"),
        ("summaryKind", "poem"),
        ("graphLevel", -1),
        ("graphLevel", 0.5),
        ("tokensBefore", True),
        ("isSplitTurn", 1),
        ("sourceEntryIds", ["b0000001", 7]),
        ("embeddedNodes", ["no object"]),
    ],
)
def test_values_nobody_knows_are_told_and_left_alone(field: str, wrong: object) -> None:
    value = given()
    value[details.KEY][field] = wrong
    found = details.read(value)
    assert found.provenance is None
    assert found.problem


@pytest.mark.parametrize("field", GRAPH)
def test_the_first_shape_asks_for_no_graph(field: str) -> None:
    value = given()
    value[details.KEY] |= {"schemaVersion": 1, field: "of another type"}
    found = details.read(value).provenance
    assert found is not None
    assert (found.kind, found.level, found.children, found.parts) == ("segment", 0, (), ())
    assert found.segment == found.id


@pytest.mark.parametrize("optional", ["provider", "model"])
def test_a_summary_beside_it_may_leave_out_who_made_it(optional: str) -> None:
    value = given()
    del value[details.KEY]["embeddedNodes"][0][optional]
    made = details.read(value).provenance
    assert made is not None
    assert getattr(made.parts[0], optional) is None


@pytest.mark.parametrize("wrong", [None, "a.py", [1], ["a.py", None], {}])
def test_a_bad_list_of_files_is_an_empty_one(wrong: object) -> None:
    value = given() | {"readFiles": wrong}
    found = details.read(value)
    assert (found.read, found.modified) == ((), ("plan.md",))
    assert found.provenance is not None
    assert details.files(value) == ("plan.md",)


@pytest.mark.parametrize("value", [None, [], "text", 7, True])
def test_details_of_another_shape_tell_nothing(value: object) -> None:
    assert details.read(value) == SummaryDetails()
    assert details.files(value) == ()
    assert details.read({details.KEY: value}).problem
