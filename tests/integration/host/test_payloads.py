"""What goes to a provider is checked once more as bytes: under the settings of the person and of a trusted project."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.engine.host.host import Host
from backstory.engine.host.payloads import checked
from backstory.engine.planning import manifests
from backstory.records.budget import Model, Usage
from backstory.records.host import HostCall
from backstory.records.manifest import Manifest
from backstory.records.planning import ManifestRequest
from backstory.records.privacy import PrivacyReport
from backstory.records.protocol import PayloadAnswer, PayloadRequest
from backstory.store import manifests as stored
from tests.fakes.host import ELSEWHERE, LOCAL, Clock

FIXTURE = Path(__file__).parents[2] / "fixtures" / "manifests" / "harbour.json"
KEY = "ghp_" + "q7Zr5Wn2Yb8Ht3Kx9Lm4Vc6Td1Pf0Sj2Ga5E"
PRIVATE = '[privacy]\nenabled = true\nlocal = ["ollama"]\n'


def payload(text: str) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]}


def ask(engine: Clock, given: Any, folder: Path, model: Model | None = ELSEWHERE, **more: Any) -> PayloadAnswer:
    call = HostCall(session="s1", cwd=str(folder), model=model, **more)
    return checked(engine, PayloadRequest(call, given))


def settings(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


def test_without_a_policy_everything_goes_as_it_is(engine: Clock, tmp_path: Path) -> None:
    assert ask(engine, payload(f"[ds4:local-only]x[/ds4:local-only] {KEY}"), tmp_path) == PayloadAnswer()


def test_what_a_provider_may_not_see_is_withheld_and_counted(engine: Clock, tmp_path: Path) -> None:
    settings(tmp_path / "home", PRIVATE)
    answer = ask(engine, payload(f"see [ds4:local-only]CANARY[/ds4:local-only] and {KEY}"), tmp_path)
    assert "CANARY" not in str(answer.payload)
    assert KEY not in str(answer.payload)
    assert (answer.payload["model"], answer.payload["max_tokens"]) == ("m", 5)
    assert (answer.blocked, answer.secrets) == (1, 1)
    assert answer.inspected >= 1


def test_what_may_go_is_not_sent_back(engine: Clock, tmp_path: Path) -> None:
    settings(tmp_path / "home", PRIVATE)
    assert ask(engine, payload("good morning"), tmp_path).payload is None
    assert ask(engine, payload("[ds4:local-only]CANARY"), tmp_path, LOCAL).blocked == 0


def test_a_call_without_a_model_goes_to_a_stranger(engine: Clock, tmp_path: Path) -> None:
    settings(tmp_path / "home", PRIVATE)
    assert ask(engine, payload("[ds4:local-only]CANARY"), tmp_path, None).blocked == 1


@pytest.mark.parametrize("trusted", [True, False])
def test_a_project_is_heard_where_the_host_trusts_it(engine: Clock, tmp_path: Path, *, trusted: bool) -> None:
    folder = tmp_path / "app"
    settings(folder / ".backstory", "[privacy]\nenabled = true\n")
    answer = ask(engine, payload("[ds4:local-only]CANARY"), folder, trusted=trusted)
    assert answer.blocked == int(trusted)


def test_what_cannot_be_walked_becomes_nothing(engine: Clock, tmp_path: Path) -> None:
    settings(tmp_path / "home", PRIVATE)
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    answer = ask(engine, {"messages": deep}, tmp_path)
    assert (answer.payload, answer.blocked) == ({}, 1)


def planned_call() -> Manifest:
    return msgspec.structs.replace(msgspec.json.decode(FIXTURE.read_bytes(), type=Manifest), usage=None)


def counts(report: PrivacyReport) -> tuple[int, int, int]:
    return report.payloads, report.payload_blocked, report.payload_secrets


@pytest.mark.parametrize("kept", ["before", "after", "in memory"])
def test_what_was_withheld_at_last_stands_in_the_manifest(engine: Clock, tmp_path: Path, kept: str) -> None:
    settings(tmp_path / "home", PRIVATE)
    made = planned_call()
    call = HostCall(session="s1", cwd=str(tmp_path), model=ELSEWHERE, ephemeral=kept == "in memory")
    host = Host(engine)
    if kept == "before":
        stored.save(engine.history, made)
    elif kept == "after":
        host.hold(lambda: stored.save(engine.history, made))
    else:
        engine.unsaved.keep(made)
    given = payload(f"see [ds4:local-only]CANARY[/ds4:local-only] and {KEY}")
    for sent in (given, payload("good morning"), given):
        host.payload(PayloadRequest(call, sent, made.id))
    host.payload(PayloadRequest(call, given))
    host.payload(PayloadRequest(call, given, "of another host"))
    host.finish()
    found = manifests.show(engine, ManifestRequest(manifest=made.id))
    assert counts(found.privacy) == (3, 2, 2)
    assert msgspec.structs.replace(found, privacy=made.privacy) == made
    assert not engine.failed
    assert manifests.answered(engine, made.id, Usage(1_000))
    host.payload(PayloadRequest(call, given, made.id))
    host.finish()
    again = manifests.show(engine, ManifestRequest(manifest=made.id))
    assert (counts(again.privacy), again.usage) == ((4, 3, 3), Usage(1_000))
    rows = engine.history.rows("SELECT count(*) FROM manifests WHERE size = length(document)")
    assert list(rows) == [(int(kept != "in memory"),)]


def test_without_a_policy_no_manifest_changes(engine: Clock, tmp_path: Path) -> None:
    made = planned_call()
    stored.save(engine.history, made)
    host = Host(engine)
    host.payload(PayloadRequest(HostCall(session="s1", cwd=str(tmp_path), model=ELSEWHERE), payload(KEY), made.id))
    host.finish()
    assert manifests.show(engine, ManifestRequest(manifest=made.id)) == made
