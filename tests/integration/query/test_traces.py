"""Traces over the logs of every agent: they lead to what a model sees, and summaries to what they stand for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.engine.indexing.index import index
from backstory.engine.open import Engine, open_engine
from backstory.records.indexing import IndexRequest
from backstory.records.query import EventTrace, WholeSession

FIXTURES = Path(__file__).parents[2] / "fixtures" / "sources"
# A session of each agent, an event that a summary took the place of, and that summary.
COMPACTED = {
    "claude-code": ("7d3c2f10", 3, 17),
    "codex": ("019a0000", 0, 20),
    "dsh": ("shop-7", 1, 23),
    "pi": ("01a2289e-9df8", 2, 15),
}
TAKEN = {"gemini": ("5e5e5e5e", 5, 7), "codex": ("019a0000", 5, 19)}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over the samples of all agents."""
    places = tuple(f"{folder.name}={folder}" for folder in sorted(FIXTURES.iterdir()))
    with open_engine(tmp_path_factory.mktemp("traces"), env={}) as opened:
        index(opened, IndexRequest(root=places, only_roots=True))
        yield opened


def traces(engine: Engine, name: str) -> tuple[WholeSession, dict[int, EventTrace]]:
    whole = engine.query.read_session(name)
    return whole, {one.seq: engine.query.trace_event(name, one.seq) for one in whole.events}


@pytest.mark.parametrize("source", COMPACTED)
def test_what_was_compacted_leads_to_the_summary_that_a_model_sees(engine: Engine, source: str) -> None:
    name, event, summary = COMPACTED[source]
    whole, traced = traces(engine, f"{source}:{name}")
    kinds = {one.seq: (one.kind, one.surface) for one in whole.events}
    assert kinds[summary] == ("summary", "current")
    assert (traced[event].replaced_by, traced[event].chain[-1]) == (summary, summary)
    assert event in traced[summary].replaced


@pytest.mark.parametrize("source", TAKEN)
def test_what_was_taken_away_leads_nowhere(engine: Engine, source: str) -> None:
    name, event, by = TAKEN[source]
    traced = engine.query.trace_event(f"{source}:{name}", event)
    assert (traced.replaced_by, traced.chain) == (by, ())
    assert event in engine.query.trace_event(f"{source}:{name}", by).replaced


def test_every_trace_of_every_agent_goes_both_ways_and_ends_in_sight(engine: Engine) -> None:
    sessions = engine.query.list_sessions().items
    assert {session.source for session in sessions} >= {*COMPACTED, *TAKEN}
    for session in sessions:
        whole, traced = traces(engine, session.path or "")
        seen = {one.seq for one in whole.events if one.surface != "log-only"}
        for seq, one in traced.items():
            assert set(one.chain) <= seen, (session.id, seq)
            assert not one.chain or traced[one.chain[-1]].replaced_by is None, (session.id, seq)
            assert one.replaced_by is None or seq in traced[one.replaced_by].replaced, (session.id, seq)
            assert all(seq in traced[source].derived for source in one.sources), (session.id, seq)
            assert all(seq in traced[made].sources for made in one.derived), (session.id, seq)


def test_a_summary_of_a_branch_was_made_from_what_was_left_behind(engine: Engine) -> None:
    traced = engine.query.trace_event("pi:01a2289e-f329", 24)
    assert traced.sources == tuple(range(14, 24))
    assert traced.details is not None
    assert traced.details.leaf == "a0f0e927"
