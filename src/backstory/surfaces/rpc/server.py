"""Reads requests on one thread and works on another, so that a cancellation or the end is seen while a call runs.

Calls are carried out one after the other, in the order they came; between them the host's idle work is done, piece by
piece. A line that is no request gets an error, and no call can end the server: only the end of its input, `shutdown`
and a reader that went away do.
"""

import os
import queue
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

import msgspec

from backstory.surfaces.rpc import methods, wire
from backstory.surfaces.rpc.served import Served
from backstory.surfaces.rpc.wire import Failure, Request

CANCEL, SHUTDOWN = "$/cancel", "shutdown"
# How long a call, and what is to be kept, may go on after the end of the input, in seconds; Pi kills after five.
PATIENCE = 4.0
# After so many seconds without a request a host has gone on with the last answer.
QUIET = 0.25
CHUNK = 1 << 20


class Server:
    """One conversation: lines that come in, and a stream that answers go to."""

    def __init__(self, host: Served, source: Iterable[bytes], sink: BinaryIO) -> None:
        self._host = host
        self._source = source
        self._sink = sink
        self._work: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._waiting: set[wire.Id] = set()
        self._running: wire.Id | msgspec.UnsetType = msgspec.UNSET
        self._writing = threading.Lock()

    def run(self) -> None:
        """Serves until the end of the input; then what a call left to be kept is kept."""
        threading.Thread(target=self._read, name="reader", daemon=True).start()
        while (request := self._next()) is not None:
            self._serve(request)
            if request.method == SHUTDOWN:
                break
        self._host.finish()

    def _next(self) -> Request | None:
        """The next request; idle work is done while there is none, and what was held back once it has been quiet."""
        while True:
            with suppress(queue.Empty):
                return self._work.get_nowait()
            if self._host.idle(lambda: not self._work.empty()):
                continue
            with suppress(queue.Empty):
                return self._work.get(timeout=QUIET if self._host.holds else None)
            self._host.release()

    def _read(self) -> None:
        try:
            for line in self._source:
                if line.strip():
                    self._line(line)
        finally:
            self._work.put(None)
            with self._lock:
                # Nobody waits for an answer any more. What was only told is still carried out.
                if self._running is not msgspec.UNSET:
                    self._host.cancel()
            last = threading.Timer(PATIENCE, os._exit, (0,))
            last.daemon = True
            last.start()

    def _line(self, line: bytes) -> None:
        try:
            request = wire.decoder.decode(line)
        except (msgspec.DecodeError, RecursionError):
            self._write(wire.error(*wire.refused(line)))
            return
        if request.method == CANCEL:
            self._cancel(request)
            return
        if request.id is not msgspec.UNSET:
            with self._lock:
                taken = request.id in self._waiting or request.id == self._running
                if not taken:
                    self._waiting.add(request.id)
            if taken:
                self._write(wire.error(request.id, Failure(wire.INVALID, "a call with this id has no answer yet")))
                return
        self._work.put(request)

    def _cancel(self, request: Request) -> None:
        """Stops the call that runs; one that waits is answered at once, so that nobody takes us for dead."""
        with suppress(msgspec.DecodeError, RecursionError):
            id_ = msgspec.json.decode(request.params, type=dict[str, Any]).get("id")
            with self._lock:
                if id_ == self._running:
                    self._host.cancel()
                elif isinstance(id_, int | str) and id_ in self._waiting:
                    self._waiting.remove(id_)
                    self._write(wire.error(id_, Failure(wire.CANCELLED, "cancelled before it began")))

    def _serve(self, request: Request) -> None:
        with self._lock:
            if request.id is not msgspec.UNSET and request.id not in self._waiting:
                return
            self._waiting.discard(request.id if request.id is not msgspec.UNSET else None)
            self._running = request.id
            self._host.begin(request.deadline)
        try:
            answer = self._answer(request)
        finally:
            with self._lock:
                self._running = msgspec.UNSET
                self._host.end()
        if request.id is not msgspec.UNSET:
            self._write(answer)

    def _answer(self, request: Request) -> bytes:
        """The line that answers a request, whatever becomes of it."""
        id_ = None if request.id is msgspec.UNSET else request.id
        if request.method == SHUTDOWN:
            return wire.result(id_, None)
        try:
            found = methods.find(request.method, self._host)
            if found is None:
                return wire.error(id_, Failure(wire.UNKNOWN, f"there is no method {request.method!r}"))
            kind, function = found
            return wire.result(id_, function(methods.convert(request.params, kind)))
        except Exception as problem:  # noqa: BLE001 - no call may end the server
            return wire.error(id_, wire.failure(problem))

    def _write(self, line: bytes) -> None:
        with self._writing:
            try:
                self._sink.write(line)
                self._sink.flush()
            except (BrokenPipeError, ValueError):
                sys.stderr.write("the other side has gone\n")
                os._exit(0)


def lines(file: int) -> Iterator[bytes]:
    """The lines of a file descriptor, without a lock that a thread waiting here would keep to the end."""
    pieces: list[bytes] = []
    while data := os.read(file, CHUNK):
        *whole, rest = data.split(b"\n")
        if whole:
            yield b"".join([*pieces, whole[0]])
            yield from whole[1:]
            pieces = []
        pieces.append(rest)
    if last := b"".join(pieces):
        yield last
