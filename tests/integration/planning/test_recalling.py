"""Earlier messages are looked up on the branch only, without what the call holds already."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.engine import context, transcripts
from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.engine.planning import plan, recall
from backstory.engine.planning.recall import QuotationTask
from backstory.plan.evidence.recall import Recalled
from backstory.records.planning import PlanRequest
from backstory.text.tokens import count
from tests.fakes import logs
from tests.fakes.indexed import indexed

SIBLINGS = 150


def task(asked: str, committed: tuple[int, ...] = (), *, most: int = 12, room: int = 16_000) -> QuotationTask:
    return QuotationTask(asked, committed, most, room, until=1_000)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A branch of four messages, beside 150 newer ones that all hang on the second."""
    said = ["the quokka_rate is 7", "noted: quokka_rate", "café opens at nine", "und so weiter"]
    branch = [logs.pi_entry(at, text, role="user" if at % 2 == 0 else "assistant") for at, text in enumerate(said)]
    siblings = [logs.pi_entry(100 + at, f"quokka_rate aside {at}", parent=1) for at in range(SIBLINGS)]
    leaf = logs.pi_entry(900, "go on", parent=3)
    path = tmp_path / "logs" / "s.jsonl"
    logs.write(path, logs.lines([logs.pi_header("s"), *branch, *siblings, leaf]))
    with indexed(tmp_path / "data", path.parent) as opened:
        yield opened


def given(engine: Engine) -> Context:
    with engine.history.read():
        return context.load(engine, "s", hard=0)


def found(engine: Engine, asked: str, committed: tuple[int, ...] = ()) -> Recalled:
    with engine.history.read():
        return recall.recalled(engine, given(engine), task(asked, committed), cost=count)


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


@pytest.mark.parametrize(("most", "room"), [(0, 16_000), (12, 0)])
def test_without_room_nothing_is_looked_for(engine: Engine, most: int, room: int) -> None:
    with engine.history.read():
        wanted = task("what is `quokka_rate`?", most=most, room=room)
        answer = recall.recalled(engine, given(engine), wanted, cost=count)
    assert (answer.status, answer.supplements, answer.candidates) == ("disabled", (), 0)


def test_an_accent_does_not_matter(engine: Engine) -> None:
    assert [item.id for item in found(engine, "when does the cafe open").supplements] == ["entry:e0002"]


def test_what_may_not_be_quoted_is_not_read_further(engine: Engine) -> None:
    with engine.history.read():
        answer = recall.recalled(
            engine, given(engine), task("quokka_rate"), cost=count, quotable=lambda text: "7" not in text
        )
    assert [item.id for item in answer.supplements] == ["entry:e0001"]


@pytest.mark.parametrize("way", ["stored", "followed"])
@pytest.mark.parametrize(
    "record",
    [
        {"type": "custom_message", "customType": "notes", "content": "the host is QUOKKA_DEPLOY", "display": True},
        {
            "type": "custom_message",
            "customType": "notes",
            "content": [{"type": "text", "text": "the host is QUOKKA_DEPLOY"}],
            "display": False,
        },
        {"type": "message", "message": {"role": "custom", "customType": "n", "content": "the host is QUOKKA_DEPLOY"}},
    ],
    ids=["text", "blocks", "role"],
)
def test_what_an_extension_told_the_model_comes_back(tmp_path: Path, record: dict[str, object], way: str) -> None:
    told = {"id": "e0002", "parentId": "e0001", "timestamp": logs.stamp(2), **record}
    filler = [
        logs.pi_entry(at, f"{at}. something else at length " * 60, role="assistant" if at % 2 else "user")
        for at in range(3, 40)
    ]
    asked = logs.pi_entry(40, "which host has QUOKKA_DEPLOY?")
    rows = [logs.pi_entry(0, "begin"), logs.pi_entry(1, "yes", role="assistant"), told, *filler, asked]
    path = logs.write(tmp_path / "logs" / "t.jsonl", logs.lines([logs.pi_header("t"), *rows]))
    with indexed(tmp_path / "data", path.parent) as engine:
        request = PlanRequest(session="t", budget=6_000, no_sync=True)
        if way == "stored":
            answer = plan.plan(engine, request).messages
        else:
            answer = plan.plan_given(engine, request, transcripts.follow(engine, "pi", str(path))).messages
    quoted = [str(message.content) for message in answer if message.kind == "retrieval"]
    assert any("the host is QUOKKA_DEPLOY" in text and "extension" in text for text in quoted)
    assert all(message.seq != 2 for message in answer)
