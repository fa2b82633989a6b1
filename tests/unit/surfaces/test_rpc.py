"""The conversation over lines: every line gets its answer, and no line, call or cancellation ends the server."""

import io
import json
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from backstory.errors import CancelledError, UsageError
from backstory.surfaces.rpc import methods, wire
from backstory.surfaces.rpc.server import Server, lines


class Host:
    """A host whose methods are given."""

    engine = None

    def __init__(self, **answers: Callable[[Any], Any]) -> None:
        self.answers = answers
        self.deadlines: list[int | None] = []
        self.idled = 0
        self.finished = 0
        self.holds = False
        self.stop = threading.Event()

    def begin(self, deadline: int | None) -> None:
        self.deadlines.append(deadline)

    def end(self) -> None:
        self.stop.clear()

    def cancel(self) -> None:
        self.stop.set()

    def release(self) -> None:
        self.holds = False

    def finish(self) -> None:
        self.finished += 1

    def idle(self, busy: Callable[[], bool]) -> bool:
        self.idled += 1
        return busy() and False


def serve(host: Host, given: Iterator[bytes] | list[bytes], monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The answers to some lines, in the order they were written."""

    def find(name: str, _host: Host) -> tuple[type[Any], Callable[[Any], Any]] | None:
        return (dict, host.answers[name]) if name in host.answers else None

    monkeypatch.setattr(methods, "find", find)
    monkeypatch.setattr(threading, "Timer", lambda *_: threading.Thread(target=lambda: None))
    out = io.BytesIO()
    Server(host, given, out).run()
    return [json.loads(line) for line in out.getvalue().splitlines()]


def call(id_: Any, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


def test_answers_come_in_the_order_of_the_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(echo=lambda params: params)
    answers = serve(host, [call(n, "echo", n=n) for n in range(20)], monkeypatch)
    assert [(one["id"], one["result"]) for one in answers] == [(n, {"n": n}) for n in range(20)]


@pytest.mark.parametrize(
    ("line", "id_", "code"),
    [
        (b"nonsense\n", None, wire.PARSE),
        (b'{"id": 1, "met\n', None, wire.PARSE),
        (b"\xff\xfe\n", None, wire.PARSE),
        (b"[" * 100_000 + b"\n", None, wire.PARSE),
        (b"[]\n", None, wire.INVALID),
        (b"3\n", None, wire.INVALID),
        (b'{"id": 7}\n', 7, wire.INVALID),
        (b'{"id": "x", "method": 3}\n', "x", wire.INVALID),
        (b'{"id": [1], "method": "echo"}\n', None, wire.INVALID),
        (b'{"id": 1, "method": "unheard of"}\n', 1, wire.UNKNOWN),
        (b'{"id": 1, "method": "echo", "params": [1]}\n', 1, wire.PARAMS),
        (b'{"id": 1, "method": "usage"}\n', 1, wire.PARAMS),
        (b'{"id": 1, "method": "defect"}\n', 1, wire.INTERNAL),
        (b'{"id": 1, "method": "endless"}\n', 1, wire.INTERNAL),
    ],
)
def test_whatever_is_wrong_is_told_and_the_next_call_works(
    line: bytes, id_: Any, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def usage(_params: Any) -> None:
        raise UsageError("no")

    def defect(_params: Any) -> None:
        raise RuntimeError("secret text")

    def endless(params: Any) -> None:
        endless(params)

    host = Host(echo=lambda params: params, usage=usage, defect=defect, endless=endless)
    failed, fine = serve(host, [b"\n", line, call(2, "echo")], monkeypatch)
    if failed.get("id") == 2:
        failed, fine = fine, failed
    assert (failed["id"], failed["error"]["code"]) == (id_, code)
    assert "secret" not in json.dumps(failed)
    assert fine["result"] == {}


def test_a_notification_gets_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    host = Host(tell=heard.append)
    assert serve(host, [b'{"method": "tell", "params": {"a": 1}}\n'], monkeypatch) == []
    assert heard == [{"a": 1}]


def test_deadlines_reach_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(echo=lambda params: params)
    serve(host, [b'{"id": 1, "method": "echo", "deadline": 250}\n', call(2, "echo")], monkeypatch)
    assert host.deadlines == [250, None]


def test_a_running_and_a_waiting_call_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    started = threading.Event()

    def slow(_params: Any) -> None:
        started.set()
        if host.stop.wait(30):
            raise CancelledError("stopped")

    host = Host(slow=slow, echo=lambda params: params)

    def given() -> Iterator[bytes]:
        yield call(1, "slow")
        yield call(2, "echo")
        yield call(3, "echo")
        started.wait(30)
        yield b'{"method": "$/cancel", "params": {"id": 2}}\n'
        yield b'{"method": "$/cancel", "params": "nonsense"}\n'
        yield b'{"method": "$/cancel", "params": {"id": 1}}\n'

    second, first, third = serve(host, given(), monkeypatch)
    assert (first["id"], second["id"]) == (1, 2)
    assert first["error"]["code"] == second["error"]["code"] == wire.CANCELLED
    assert first["error"]["data"] == {"code": "ABORTED"}
    assert third == {"jsonrpc": "2.0", "id": 3, "result": {}}


def test_the_end_of_the_input_stops_a_running_call(monkeypatch: pytest.MonkeyPatch) -> None:
    started = threading.Event()

    def slow(_params: Any) -> None:
        started.set()
        assert host.stop.wait(30)
        raise CancelledError("stopped")

    def given() -> Iterator[bytes]:
        yield call(1, "slow")
        assert started.wait(30)

    host = Host(slow=slow)
    assert serve(host, given(), monkeypatch)[0]["error"]["code"] == wire.CANCELLED


def test_shutdown_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(echo=lambda params: params)
    answers = serve(host, [call(1, "shutdown"), call(2, "echo")], monkeypatch)
    assert answers == [{"jsonrpc": "2.0", "id": 1, "result": None}]


def test_lines_are_cut_wherever_the_pipe_cuts_them() -> None:
    reader, writer = os.pipe()
    sent = [b"a" * 3_000_000, b"", b'{"x": "\xe2\x80\xa8"}', b"last"]

    def write() -> None:
        with os.fdopen(writer, "wb") as stream:
            stream.write(b"\n".join(sent))

    thread = threading.Thread(target=write)
    thread.start()
    assert list(lines(reader)) == sent
    thread.join()
    os.close(reader)


def test_an_id_that_waits_for_its_answer_cannot_be_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    started, over = threading.Event(), threading.Event()

    def slow(_params: Any) -> None:
        started.set()
        assert over.wait(30)

    host = Host(slow=slow, echo=lambda params: params)

    def given() -> Iterator[bytes]:
        yield call(1, "slow")
        started.wait(30)
        yield call(2, "echo")
        yield call(1, "echo")
        yield call(2, "echo")
        over.set()

    answers = serve(host, given(), monkeypatch)
    refused = [one["id"] for one in answers if "error" in one and one["error"]["code"] == wire.INVALID]
    assert refused == [1, 2]
    assert [one["id"] for one in answers if "error" not in one] == [1, 2]


def test_another_version_of_the_protocol_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(echo=lambda params: params)
    [answer] = serve(host, [b'{"jsonrpc": "1.0", "id": 7, "method": "echo"}\n'], monkeypatch)
    assert (answer["id"], answer["error"]["code"]) == (7, wire.INVALID)


def test_what_was_only_told_is_carried_out_after_the_end_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    seen: list[bool] = []

    def told(_params: Any) -> None:
        assert ended.wait(10)
        seen.append(host.stop.wait(0.2))

    def given() -> Iterator[bytes]:
        yield json.dumps({"jsonrpc": "2.0", "method": "told"}).encode() + b"\n"
        ended.set()

    host = Host(told=told)
    assert serve(host, given(), monkeypatch) == []
    assert seen == [False]
    assert host.finished == 1


def test_what_is_held_back_is_released_once_it_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host()
    host.holds = True
    released = threading.Event()

    def release() -> None:
        host.holds = False
        released.set()

    monkeypatch.setattr(host, "release", release)

    def given() -> Iterator[bytes]:
        assert released.wait(30)
        yield from ()

    assert serve(host, given(), monkeypatch) == []
    assert host.idled > 1
