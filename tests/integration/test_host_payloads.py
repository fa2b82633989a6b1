"""What goes to a provider is checked once more as bytes: under the settings of the person and of a trusted project."""

from pathlib import Path
from typing import Any

import pytest

from backstory.engine.host.payloads import checked
from backstory.records.budget import Model
from backstory.records.host import HostCall
from backstory.records.protocol import PayloadAnswer, PayloadRequest
from tests.fakes.host import ELSEWHERE, LOCAL, Clock

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
