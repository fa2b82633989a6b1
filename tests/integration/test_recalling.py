"""Earlier messages are looked up on the branch only, without what the call holds already."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.engine import context, index
from backstory.engine.context import Context
from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import history
from backstory.engine.planning.history import Limits
from backstory.plan.recall import Recalled
from backstory.records.indexing import IndexRequest
from backstory.text.tokens import count
from tests.fakes import logs

SIBLINGS = 150
LIMITS = Limits(most=12, room=16_000, until=1_000)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A branch of four messages, beside 150 newer ones that all hang on the second."""
    said = ["the quokka_rate is 7", "noted: quokka_rate", "café opens at nine", "und so weiter"]
    branch = [logs.pi_entry(at, text, role="user" if at % 2 == 0 else "assistant") for at, text in enumerate(said)]
    siblings = [logs.pi_entry(100 + at, f"quokka_rate aside {at}", parent=1) for at in range(SIBLINGS)]
    leaf = logs.pi_entry(900, "go on", parent=3)
    path = tmp_path / "logs" / "s.jsonl"
    logs.write(path, logs.lines([logs.pi_header("s"), *branch, *siblings, leaf]))
    with open_engine(tmp_path / "data", env={"HOME": str(tmp_path)}) as opened:
        index.index(opened, IndexRequest(root=(f"pi={path.parent}",), only_roots=True))
        yield opened


def given(engine: Engine) -> Context:
    with engine.history.read():
        return context.load(engine, "s", hard=0)


def found(engine: Engine, asked: str, committed: tuple[int, ...] = ()) -> Recalled:
    with engine.history.read():
        return history.recalled(engine, given(engine), asked, committed, LIMITS, cost=count)


def test_many_newer_siblings_hide_nothing_and_are_only_counted(engine: Engine) -> None:
    answer = found(engine, "what is `quokka_rate`?")
    assert [item.id for item in answer.supplements] == ["entry:e0001", "entry:e0000"]
    assert (answer.candidates, answer.alternates, answer.committed) == (2, SIBLINGS, 0)
    assert "aside" not in "".join(item.text for item in answer.supplements)


def test_what_the_call_holds_is_not_quoted_again(engine: Engine) -> None:
    answer = found(engine, "what is `quokka_rate`?", (given(engine).branch[0],))
    assert [item.id for item in answer.supplements] == ["entry:e0001"]
    assert answer.committed == 1


def test_a_request_without_anything_to_look_for_finds_nothing(engine: Engine) -> None:
    assert found(engine, "ok, go on").status == "no-query"
    assert found(engine, "nothing_like_this").supplements == ()


def test_an_accent_does_not_matter(engine: Engine) -> None:
    assert [item.id for item in found(engine, "when does the cafe open").supplements] == ["entry:e0002"]


def test_what_may_not_be_quoted_is_not_read_further(engine: Engine) -> None:
    with engine.history.read():
        answer = history.recalled(
            engine, given(engine), "quokka_rate", (), LIMITS, cost=count, quotable=lambda text: "7" not in text
        )
    assert [item.id for item in answer.supplements] == ["entry:e0001"]
