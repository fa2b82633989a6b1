"""Kept tool results can be lost in any way: they are told of, and made again from the log they came from."""

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.engine.artifacts import kept as artifacts
from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import plan
from backstory.engine.upkeep import forget, health, rebuild
from backstory.errors import AmbiguousNameError, CorruptDatabaseError, UsageError
from backstory.plan.condense import printed
from backstory.records.artifact import Artifact, ArtifactRequest, ArtifactSearchRequest, ArtifactVerifyRequest
from backstory.records.indexing import RebuildRequest
from backstory.records.message import Text
from backstory.records.planning import PlanRequest
from backstory.records.session import Kind
from backstory.records.upkeep import ForgetRequest, HealthRequest
from backstory.store import artifacts as stored
from backstory.store import history, migrate
from backstory.store.objects import Objects
from tests.fakes.indexed import indexed, take_in

WHEN = "2026-01-01T00:00:00.000Z"
BODY = "start\n" + "row of data\n" * 3_000 + "ERROR: needle in src/x.py\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    messages = [
        {"role": "user", "content": "run it"},
        {
            "role": "assistant",
            "content": [{"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "make"}}],
        },
        {"role": "toolResult", "toolCallId": "c1", "toolName": "bash", "content": [{"type": "text", "text": BODY}]},
    ]
    rows: list[dict[str, object]] = [{"type": "session", "version": 3, "id": "s1", "timestamp": WHEN, "cwd": "/w"}]
    for number, message in enumerate(messages):
        above = f"e{number - 1}" if number else None
        rows.append({"type": "message", "id": f"e{number}", "parentId": above, "timestamp": WHEN, "message": message})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def engine(tmp_path: Path, log: Path) -> Iterator[Engine]:
    with indexed(tmp_path / "home", log) as made:
        yield made


@pytest.fixture
def name(engine: Engine) -> str:
    """The artifact that a plan refers to."""
    [reference] = plan.plan(engine, PlanRequest(session="pi:s1", no_sync=True)).manifest.artifacts
    return reference.id


def kept(engine: Engine) -> Path:
    [path] = (Path(engine.home) / "derived" / "artifacts").glob("??/*")
    return path


def shown(engine: Engine, name: str) -> str:
    return artifacts.show(engine, ArtifactRequest(artifact=name)).text


def told(engine: Engine) -> tuple[str, str]:
    report = health.health(engine, HealthRequest())
    [check] = [check for check in report.checks if check.name == "artifacts"]
    return check.status, check.detail


def test_a_missing_or_damaged_result_is_made_again_when_it_is_asked_for(engine: Engine, name: str) -> None:
    assert told(engine)[0] == "ok"
    kept(engine).unlink()
    assert told(engine)[0] == "warn"
    assert "1 missing" in told(engine)[1]
    assert shown(engine, name) == BODY
    kept(engine).write_bytes(b"other")
    assert "1 damaged" in told(engine)[1]
    assert artifacts.search(engine, ArtifactSearchRequest(artifact=name, text=("needle",))).total == 1
    assert told(engine)[0] == "ok"


def test_verify_remakes_damaged_results_when_told_to_repair(engine: Engine, name: str) -> None:
    kept(engine).write_bytes(b"other")
    assert artifacts.verify(engine, ArtifactVerifyRequest()).corrupt == (name,)
    check = artifacts.verify(engine, ArtifactVerifyRequest(repair=True))
    assert (check.whole, check.corrupt, check.missing, check.remade) == (1, (), (), 1)


def test_a_rebuild_makes_referred_results_again(engine: Engine, name: str) -> None:
    rebuild.rebuild(engine, RebuildRequest())
    assert told(engine) == ("ok", "kept tool results: 1 whole, 0 missing, 0 damaged")
    assert shown(engine, name) == BODY


def test_results_that_were_kept_without_their_marks_are_made_again(tmp_path: Path, log: Path) -> None:
    marked = BODY.replace("ERROR", "[ds4:local-only]ERROR[/ds4:local-only]")
    text = log.read_text(encoding="utf-8").replace("ERROR", "[ds4:local-only]ERROR[/ds4:local-only]")
    log.write_text(text, encoding="utf-8")
    [step] = [step for step in migrate.migrations("history") if step.name == "marked_results"]
    with indexed(tmp_path / "home", log) as engine:
        [reference] = plan.plan(engine, PlanRequest(session="pi:s1", no_sync=True)).manifest.artifacts
        digest = Objects(str(Path(engine.home) / "derived")).put(BODY.encode())
        with engine.history.write("keep it as it was shown"):
            engine.history.db.execute("UPDATE artifacts SET digest = ?", (digest,))
        assert shown(engine, reference.id) == BODY
        with engine.history.write("migrate"):
            engine.history.db.execute(step.sql)
        assert shown(engine, reference.id) == marked


def test_a_name_is_enough_when_everything_derived_is_gone(engine: Engine, log: Path, name: str) -> None:
    engine.close()
    shutil.rmtree(Path(engine.home) / "derived")
    take_in(engine, log)
    assert shown(engine, name[:16]) == BODY
    with pytest.raises(UsageError):
        shown(engine, "0" * 16)


def test_a_beginning_of_several_names_is_told_from_one_of_none(engine: Engine, log: Path) -> None:
    rows = log.read_text(encoding="utf-8").splitlines()
    for number in range(17):
        result = rows[3].replace("e2", f"r{number}").replace("start", f"start {number}").replace("c1", f"d{number}")
        call = rows[2].replace("e1", f"k{number}").replace("e0", f"r{number - 1}" if number else "e2")
        rows += [call.replace("c1", f"d{number}"), result.replace("e1", f"k{number}")]
    log.write_text("\n".join(rows) + "\n", encoding="utf-8")
    take_in(engine, log)
    names = [one.id for one in plan.plan(engine, PlanRequest(session="pi:s1", no_sync=True)).manifest.artifacts]
    first = next(name[0] for name in names if sum(other[0] == name[0] for other in names) > 1)

    def refused() -> None:
        with pytest.raises(AmbiguousNameError, match=f"more than one artifact begins with '{first}': {first}"):
            shown(engine, first)

    refused()
    with engine.history.write("forget which were kept"):
        engine.history.db.execute("DELETE FROM artifacts")
    refused()
    with pytest.raises(UsageError, match="no artifact is called"):
        shown(engine, "0" * 16)


def test_what_was_kept_of_a_forgotten_session_goes_unless_another_one_has_it(
    engine: Engine, log: Path, name: str, tmp_path: Path
) -> None:
    other = tmp_path / "more" / "s2.jsonl"
    other.parent.mkdir()
    other.write_text(log.read_text(encoding="utf-8").replace('"s1"', '"s2"'), encoding="utf-8")
    with indexed(Path(engine.home), other.parent) as again:
        [reference] = plan.plan(again, PlanRequest(session="pi:s2", no_sync=True)).manifest.artifacts
        object_ = kept(again)
        forget.forget(again, ForgetRequest(session=("pi:s1",)))
        assert (object_.exists(), shown(again, reference.id)) == (True, BODY)
        forget.forget(again, ForgetRequest(session=("pi:s2",)))
        assert not object_.exists()
        with pytest.raises(UsageError):
            shown(again, name)


@pytest.mark.usefixtures("name")
def test_what_is_kept_again_while_its_session_is_forgotten_stays(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = Objects(str(Path(engine.home) / "derived"))
    look = stored.everything

    def and_kept(of: history.History) -> list[Artifact]:
        found = look(of)
        time.sleep(0.05)
        objects.put(BODY.encode())
        time.sleep(0.05)
        return found

    monkeypatch.setattr(stored, "everything", and_kept)
    forget.forget(engine, ForgetRequest(session=("pi:s1",)))
    assert kept(engine).read_text(encoding="utf-8") == BODY


def test_what_its_log_no_longer_holds_stays_missing(engine: Engine, log: Path, name: str) -> None:
    kept(engine).unlink()
    log.write_text(log.read_text(encoding="utf-8").replace("needle", "thread"), encoding="utf-8")
    with pytest.raises(CorruptDatabaseError):
        shown(engine, name)
    assert artifacts.verify(engine, ArtifactVerifyRequest(repair=True)).missing == (name,)


def age(engine: Engine) -> None:
    """Let the one object have been kept long ago."""
    kept_at = engine.now() / 1000 - 2 * artifacts.SPARED
    os.utime(kept(engine), (kept_at, kept_at))


def test_objects_that_are_about_to_be_noted_are_not_collected(engine: Engine, name: str) -> None:
    assert name
    engine.history.db.execute("DELETE FROM artifacts")
    assert artifacts.verify(engine, ArtifactVerifyRequest(collect=True)).removed == 0
    age(engine)
    objects = Objects(str(Path(engine.home) / "derived"))
    objects.put(kept(engine).read_bytes())
    assert artifacts.verify(engine, ArtifactVerifyRequest(collect=True)).removed == 0
    assert kept(engine).is_file()


def test_objects_that_nothing_refers_to_are_collected(engine: Engine, name: str) -> None:
    engine.history.db.execute("DELETE FROM artifacts")
    assert artifacts.verify(engine, ArtifactVerifyRequest()).unreferenced == 1
    age(engine)
    assert artifacts.verify(engine, ArtifactVerifyRequest(collect=True)).removed == 1
    assert not list((Path(engine.home) / "derived" / "artifacts").glob("??/*"))
    assert shown(engine, name) == BODY


def test_a_reference_leads_to_the_bytes_it_was_made_of(engine: Engine, log: Path, name: str) -> None:
    log.write_text(log.read_text(encoding="utf-8").replace("needle in", "thimble in"), encoding="utf-8")
    take_in(engine, log)
    answer = plan.plan(engine, PlanRequest(session="pi:s1", no_sync=True))
    [reference] = answer.manifest.artifacts
    assert "thimble in" in str(answer.messages)

    def found(artifact: str, text: str) -> int:
        return artifacts.search(engine, ArtifactSearchRequest(artifact=artifact, text=(text,))).total

    assert (found(reference.id, "thimble"), found(reference.id, "needle")) == (1, 0)
    assert (found(name, "thimble"), found(name, "needle")) == (0, 1)
    shutil.rmtree(Path(engine.home, "derived", "artifacts"))
    assert artifacts.verify(engine, ArtifactVerifyRequest(repair=True)).remade == 1
    assert found(reference.id, "thimble") == 1
    with pytest.raises(CorruptDatabaseError):
        found(name, "needle")


def by_hand(tmp_path: Path, home: Path) -> Engine:
    """A session in which a person ran a command that printed much, and asked about it."""
    path = tmp_path / "hand.jsonl"
    messages = [
        {"role": "user", "content": "first things first"},
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
        {"role": "bashExecution", "command": "make all", "output": BODY, "exitCode": 2},
        {"role": "user", "content": "why does it fail?"},
    ]
    rows: list[dict[str, object]] = [{"type": "session", "version": 3, "id": "s2", "timestamp": WHEN, "cwd": "/w"}]
    for number, message in enumerate(messages):
        above = f"h{number - 1}" if number else None
        rows.append({"type": "message", "id": f"h{number}", "parentId": above, "timestamp": WHEN, "message": message})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = open_engine(home, env={"HOME": str(tmp_path)})
    take_in(made, path)
    return made


def test_what_a_command_run_by_hand_printed_is_referred_to_like_a_result(tmp_path: Path) -> None:
    with by_hand(tmp_path, tmp_path / "home") as engine:
        answer = plan.plan(engine, PlanRequest(session="pi:s2", no_sync=True, window=16_000))
        [reference] = answer.manifest.artifacts
        [said] = [str(message.content) for message in answer.messages if message.entry_id == "h2"]
        assert "make all" in said
        assert "Status: not told" in said
        assert "ERROR: needle in src/x.py" in said
        assert len(said) < 12_500
        assert {"h0", "h1", "h2", "h3"} == {message.entry_id for message in answer.messages}
        text = shown(engine, reference.id)
        assert BODY in text
        engine.history.db.execute("DELETE FROM artifacts")
        kept(engine).unlink()
        assert shown(engine, reference.id) == text


def test_what_a_person_wrote_behind_a_command_is_never_shortened() -> None:
    words = f"<command-name>/do</command-name><command-args>{BODY}</command-args>"
    assert printed(Text(words), Kind.COMMAND) is None
    assert printed(Text(BODY), Kind.PROMPT) is None
    assert printed(Text(BODY), Kind.COMMAND) == BODY
