"""A host's calls over real sessions of Pi: whatever the window, every call keeps its results and its request."""

import json
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.engine.host.host import GUARD, Host
from backstory.engine.open import open_engine
from backstory.engine.planning import manifests
from backstory.errors import UsageError
from backstory.records.budget import Model
from backstory.records.host import HostCall
from backstory.records.protocol import ContextAnswer, ContextRequest, Initialize
from tests.fakes.host import FakeHost

Messages = list[dict[str, Any]]


def hashed(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def names(log: Path, golden: dict[str, Any]) -> tuple[list[str], Messages]:
    """What the extension would make of the messages that Pi's own session manager gives."""
    lines = {}
    for line in log.read_bytes().split(b"\n"):
        with suppress(ValueError):
            lines[json.loads(line)["id"]] = line
    edited = {json.loads(line).get("targetId") for line in lines.values() if b'"context_edit"' in line}
    ids = [one["id"] for one in golden["projection"] for _ in one["roles"]]
    found, carried = [], []
    for id_, message in zip(ids, golden["messages"], strict=True):
        if (
            message["role"] == "system"
            or message.get("stopReason") in {"error", "aborted"}
            or message.get("excludeFromContext")
        ):
            continue
        written = lines[id_] if id_ in lines and id_ not in edited else json.dumps(message).encode()
        found.append(f"{id_}:{hashed(written)}")
        carried.append(message)
    return found, carried


def carried_out(messages: Messages, answer: ContextAnswer) -> Messages:
    """What the extension makes of an answer."""
    if answer.edits is None:
        return messages
    out: Messages = []
    at = 0
    for edit in answer.edits:
        ((kind, value),) = edit.items()
        if kind == "insert":
            out.append({"role": "user", "content": value})
        elif kind == "replace":
            out.append({**messages[at], **value})
            at += 1
        else:
            out += messages[at : at + value] if kind == "keep" else []
            at += value
    assert at == len(messages)
    return out


def breaches(messages: Messages) -> set[str]:
    """Calls without a result and results without a call."""
    calls: set[str] = set()
    answered: set[str] = set()
    orphans: set[str] = set()
    for message in messages:
        if message["role"] == "assistant":
            calls |= {block["id"] for block in message["content"] if block["type"] == "toolCall"}
        elif message["role"] == "toolResult":
            (answered if message["toolCallId"] in calls else orphans).add(message["toolCallId"])
    return (calls - answered) | orphans


Ask = Callable[[Path, dict[str, Any], int], tuple[Messages, Messages, ContextAnswer]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Plans the next call of a session for a window of some size; gives Pi's list, ours and the answer."""

    def asked(log: Path, golden: dict[str, Any], window: int) -> tuple[Messages, Messages, ContextAnswer]:
        entries, messages = names(log, golden)
        call = HostCall(
            session=golden["header"]["id"], file=str(log), leaf=golden["leafId"], cwd=str(tmp_path),
            model=Model("mock", "mock-1", window, 1_000),
        )  # fmt: skip
        with open_engine(tmp_path / "data") as engine:
            host = Host(engine)
            answer = host.context(ContextRequest(call, 0, tuple(entries)))
            if answer.need:
                given = {at: msgspec.Raw(json.dumps(messages[at]).encode()) for at in answer.need}
                answer = host.context(ContextRequest(call, len(entries), (), given))
            assert not answer.need
            return messages, carried_out(messages, answer), answer

    return asked


def cases(data: Path) -> list[tuple[Path, dict[str, Any]]]:
    found = []
    for path in sorted((data / "pi" / "golden").glob("*.json")):
        golden = json.loads(path.read_bytes())
        log = data / "pi" / path.name.partition("__")[0] / golden["file"]
        # Pi rewrites a file of format 1 before it goes on with it.
        if path.name.endswith("by_1.6.0.json") and golden["messages"] and not log.name.startswith("_"):
            found.append((log, golden))
    assert len(found) >= 15
    return found


def test_what_fits_is_left_alone(data: Path, ask: Ask) -> None:
    untouched = replaced = 0
    for log, golden in cases(data):
        before, after, answer = ask(log, golden, 1_000_000)
        untouched += answer.edits is None
        if breaches(before) or answer.edits is None:
            continue
        kinds = [kind for edit in answer.edits for kind in edit]
        assert "drop" not in kinds, log.name
        own = [one for one in after if one["role"] != "user" or one in before]
        changed = [(one, other) for one, other in zip(before, own, strict=True) if one != other]
        # Of what fits only a large result gives way to a reference.
        assert len(changed) == kinds.count("replace"), log.name
        for one, other in changed:
            assert one["role"] == "toolResult"
            assert {**one, "content": other["content"]} == other
        replaced += len(changed)
    assert untouched
    assert replaced


@pytest.mark.parametrize("window", [40_000, 22_000, 18_000])
def test_a_call_and_its_result_stay_together(data: Path, ask: Ask, window: int) -> None:
    shortened = 0
    for log, golden in cases(data):
        before, after, answer = ask(log, golden, window)
        assert breaches(after) <= breaches(before), log.name
        users = [message for message in before if message["role"] == "user"]
        assert not users or users[-1] in after, log.name
        assert after[0]["role"] != "assistant" or before[0]["role"] == "assistant"
        shortened += answer.edits is not None
    assert shortened


def test_a_list_goes_on_from_the_last_one(data: Path, tmp_path: Path) -> None:
    log, golden = cases(data)[0]
    entries, _ = names(log, golden)
    call = HostCall(session="s", file=str(log), cwd=str(tmp_path), leaf=golden["leafId"])
    with open_engine(tmp_path / "data") as engine:
        host = Host(engine)
        first = host.context(ContextRequest(call, 0, tuple(entries)))
        again = host.context(ContextRequest(call, len(entries), ()))
        assert (first.edits, first.need) == (again.edits, again.need)
        with pytest.raises(UsageError, match="not 999"):
            host.context(ContextRequest(call, 999, ()))


def test_what_nobody_knows_is_asked_for_once(data: Path, tmp_path: Path) -> None:
    log, golden = cases(data)[0]
    entries, messages = names(log, golden)
    passing = {"role": "user", "content": "a passing remark", "timestamp": 1}
    raw = json.dumps(passing).encode()
    entries.insert(len(entries) - 1, f":{hashed(raw)}")
    messages.insert(len(messages) - 1, passing)
    call = HostCall(session="s", file=str(log), cwd=str(tmp_path), leaf=golden["leafId"])
    with open_engine(tmp_path / "data") as engine:
        host = Host(engine)
        assert host.context(ContextRequest(call, 0, tuple(entries))).need == (len(entries) - 2,)
        answer = host.context(ContextRequest(call, len(entries), (), {len(entries) - 2: msgspec.Raw(raw)}))
        assert not answer.need
        assert passing in carried_out(messages, answer)
        assert host.context(ContextRequest(call, len(entries), ())).need == ()


@pytest.mark.parametrize(("leaf", "branch"), [("e0002", "first"), ("e0003", "second"), ("not written yet", "second")])
def test_a_call_goes_on_from_its_leaf_where_the_log_has_it(tmp_path: Path, leaf: str, branch: str) -> None:
    with open_engine(tmp_path / "data") as engine:
        session = FakeHost(engine, tmp_path, cwd=str(tmp_path))
        start = session.say("which way?")
        ends = {}
        for way in ("first", "second"):
            session.leaf = start
            ends[way] = session.say(f"the {way} way")
        lines = session.file.read_bytes().splitlines()
        named = {json.loads(line).get("id"): f"{json.loads(line).get('id')}:{hashed(line)}" for line in lines}
        session.leaf = leaf
        host = Host(engine)
        answer = host.context(ContextRequest(session.call, 0, (named[start], named[ends[branch]])))
        host.finish()
        kept = manifests.named(engine, answer.manifest or "")
    assert kept is not None
    assert kept.leaf == ends[branch]


def test_a_session_without_a_log_is_planned_from_its_messages_alone(tmp_path: Path) -> None:
    messages: Messages = []
    for number in range(60):
        messages.append({"role": "user", "content": f"question {number}", "timestamp": number})
        block = {"type": "text", "text": "word " * 500}
        messages.append({"role": "assistant", "content": [block], "timestamp": number, "stopReason": "stop"})
    messages.append({"role": "user", "content": "the last one", "timestamp": 99})
    raws = [json.dumps(message).encode() for message in messages]
    call = HostCall(session="s", cwd=str(tmp_path), ephemeral=True, model=Model("mock", "m", 16_000, 1_000))
    with open_engine(tmp_path / "data") as engine:
        host = Host(engine)
        entries = tuple(f":{hashed(raw)}" for raw in raws)
        need = host.context(ContextRequest(call, 0, entries)).need
        answer = host.context(ContextRequest(call, len(raws), (), {at: msgspec.Raw(raws[at]) for at in need}))
        after = carried_out(messages, answer)
        while host.idle(lambda: False):
            pass
    assert len(after) < 40
    assert after[-1] == messages[-1]
    for file in (tmp_path / "data").rglob("*"):
        assert not file.is_file() or b"question" not in file.read_bytes()


def test_a_mark_on_disk_says_whether_a_policy_is_on(tmp_path: Path) -> None:
    settings = tmp_path / "data" / "config.toml"
    settings.parent.mkdir()
    with open_engine(
        tmp_path / "data", env={"HOME": str(tmp_path), "BACKSTORY_HOME": str(tmp_path / "data")}
    ) as engine:
        for enabled in (True, True, False, False):
            settings.write_text(f"[privacy]\nenabled = {str(enabled).lower()}\n", encoding="utf-8")
            assert Host(engine).initialize(Initialize()).guarded == enabled
            assert (tmp_path / "data" / GUARD).exists() == enabled
