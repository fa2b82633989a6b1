"""A scripted model behind an OpenAI-compatible endpoint on loopback, shared by the tests of one process.

Every client has a token in its base URL, under which its requests are kept and its script is played: one step for each
request that offers tools. A step is a text, a list of `(tool, arguments)` calls, or a dict with `text` or `calls` and
also `wait` (seconds before answering) or `status` (an error instead of an answer). Requests without tools, as for a
summary, get a fixed text and take no step.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SUMMARY = "## Goal\nA scripted goal\n\n## Next Steps\n1. go on"
Step = str | list[tuple[str, dict[str, Any]]] | dict[str, Any]


class Talk:
    """What one client is told and what it asked."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.requests: list[dict[str, Any]] = []
        self.calls = 0

    def messages(self) -> list[list[dict[str, Any]]]:
        """The messages of every request that offered tools."""
        return [request["messages"] for request in self.requests if request.get("tools")]


class ModelServer:
    """The server; `url` of a token is what a client's provider is configured with."""

    def __init__(self) -> None:
        self._talks: dict[str, Talk] = {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def talk(self, token: str) -> Talk:
        """The talk of one client, begun when first asked for."""
        with self._lock:
            return self._talks.setdefault(token, Talk())

    def url(self, token: str) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_port}/{token}/v1"

    def close(self) -> None:
        """Stops serving."""
        self._server.shutdown()
        self._server.server_close()

    def _next(self, token: str, body: dict[str, Any]) -> tuple[Step, int]:
        talk = self.talk(token)
        with self._lock:
            talk.requests.append(body)
            talk.calls += 1
            if not body.get("tools"):
                return SUMMARY, talk.calls
            return (talk.steps.pop(0) if talk.steps else "nothing is left to say"), talk.calls

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
                pass

            def do_POST(self) -> None:
                token = self.path.split("/")[1]
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                step, number = server._next(token, body)
                if isinstance(step, dict):
                    time.sleep(step.get("wait", 0))
                    if status := step.get("status"):
                        self._send(
                            status, "application/json", [json.dumps({"error": {"message": "scripted"}}).encode()]
                        )
                        return
                    step = step.get("text") or step.get("calls") or ""
                chunks = _chunks(step, number, body)
                with suppress(BrokenPipeError, ConnectionResetError):
                    self._send(200, "text/event-stream", (b"data: " + chunk + b"\n\n" for chunk in chunks))

            def _send(self, status: int, kind: str, parts: Any) -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("connection", "close")
                self.end_headers()
                for part in parts:
                    self.wfile.write(part)
                self.wfile.flush()
                self.close_connection = True

        return Handler


def _chunks(step: str | list[Any], number: int, body: dict[str, Any]) -> Iterator[bytes]:
    size = len(json.dumps(body["messages"])) // 4

    def chunk(choices: list[dict[str, Any]], **more: Any) -> bytes:
        base = {"id": f"reply-{number}", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
        return json.dumps({**base, "choices": choices, **more}).encode()

    def delta(value: dict[str, Any], end: str | None = None) -> bytes:
        return chunk([{"index": 0, "delta": value, "finish_reason": end}])

    yield delta({"role": "assistant", "content": step if isinstance(step, str) else ""})
    for at, (name, arguments) in enumerate(step if isinstance(step, list) else []):
        call = {"name": name, "arguments": json.dumps(arguments)}
        yield delta({"tool_calls": [{"index": at, "id": f"call_{number}_{at}", "type": "function", "function": call}]})
    yield delta({}, "stop" if isinstance(step, str) else "tool_calls")
    usage = {"prompt_tokens": size, "completion_tokens": 20, "total_tokens": size + 20}
    yield chunk([], usage=usage)
    yield b"[DONE]"
