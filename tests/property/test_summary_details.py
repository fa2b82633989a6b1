"""Details of summaries may hold anything at all: they are understood as a whole or not at all, and nothing breaks."""

import json
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from backstory.records.summary import Provenance
from backstory.sources.adapters.pi import details

FIXTURE = Path(__file__).parents[1] / "fixtures" / "compactions" / "v2.jsonl"
[KNOWN] = [row["details"] for row in map(json.loads, FIXTURE.read_bytes().splitlines()) if row["id"] == "b0000007"]
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400)
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))


@given(values)
def test_any_value_is_read(value: Any) -> None:
    for given_ in (value, {details.KEY: value}, {details.KEY: value, "readFiles": value, "modifiedFiles": value}):
        found = details.read(given_)
        assert found.provenance is None
        assert all(isinstance(one, str) for one in (*found.read, *found.modified, *details.files(given_)))


@given(st.sampled_from(sorted(KNOWN[details.KEY])), values)
def test_any_value_in_one_field_leaves_all_or_nothing(field: str, value: Any) -> None:
    metadata = KNOWN[details.KEY] | {field: value}
    found = details.read(KNOWN | {details.KEY: metadata})
    assert (found.provenance is None) == (found.problem is not None)
    assert found.read == ("berths.toml", "plan.md")
    if found.provenance is not None:
        assert isinstance(found.provenance, Provenance)
        assert msgspec.json.encode(found)
        assert all(isinstance(one, str) for one in (*found.provenance.sources, *found.provenance.children))
