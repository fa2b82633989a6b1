"""Where the benchmarks find and keep their inputs; makes what is missing. Nothing here is timed.

Inputs come from the folder named by `BACKSTORY_TEST_DATA` (default `../shared/data`) and the corpus generator from
`BACKSTORY_BENCH_DSH` (default `../shared/bench/dsh`). Everything made lies below `BACKSTORY_BENCH_CACHE` (default: a
folder below the system's temporary one) and is made once.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
EVENTS_PER_SESSION = 100


class MissingInputError(Exception):
    """An input is not on this machine; a figure that needs it is skipped with this reason."""


def data() -> Path:
    """The folder of real logs."""
    return _input("BACKSTORY_TEST_DATA", "data")


def generator() -> Path:
    """The folder of the corpus generator and of the scripts that drive the DSH peer."""
    return _input("BACKSTORY_BENCH_DSH", "bench/dsh")


def _input(variable: str, default: str) -> Path:
    path = Path(os.environ.get(variable) or REPOSITORY.parent / "shared" / default)
    if not path.is_dir():
        raise MissingInputError(f"no folder {path} ({variable} names it)")
    return path


def cache(*parts: str) -> Path:
    """A folder for things that are made once and kept."""
    root = os.environ.get("BACKSTORY_BENCH_CACHE") or Path(tempfile.gettempdir()) / "backstory-bench"
    path = Path(root, *parts)
    path.mkdir(parents=True, exist_ok=True)
    return path


def real_sessions() -> Path:
    """The folder with the real session logs, unpacked on first use."""
    archive = data() / "claude-code" / "sessions.tar.zst"
    if not archive.exists():
        raise MissingInputError(f"no {archive}")
    folder = cache("real") / "sessions"
    if not folder.exists():
        fresh = Path(tempfile.mkdtemp(dir=cache("real")))
        with subprocess.Popen(["zstd", "-dc", "--long=27", archive], stdout=subprocess.PIPE) as unpacking:
            subprocess.run(["tar", "-xf", "-", "-C", fresh], stdin=unpacking.stdout, check=True)
        (fresh / "sessions").rename(folder)
    return folder


def commit_messages() -> list[str]:
    """The messages of real commits: long natural queries."""
    return [str(row["query"]) for row in _rows(data() / "claude-code" / "queries.dev.jsonl")]


def corpus(events: int) -> Path:
    """The prefix of the files of a generated corpus with so many events."""
    prefix = cache("corpora") / str(events)
    if not Path(f"{prefix}.known.jsonl").exists():
        script = generator() / "gen_corpus.py"
        sessions = str(events // EVENTS_PER_SESSION)
        shape = ["--sessions", sessions, "--events", str(EVENTS_PER_SESSION), "--out", str(prefix)]
        subprocess.run([sys.executable, script, *shape], check=True, stdout=subprocess.DEVNULL)
    return prefix


def corpus_queries(events: int) -> list[str]:
    """The mixed query file of a corpus."""
    return [str(row["query"]) for row in _rows(Path(f"{corpus(events)}.queries.jsonl"))]


def corpus_logs(events: int) -> Path:
    """The same corpus as the logs that DSH would have written, one uncompressed file per session."""
    folder = cache("corpora") / f"{events}-logs"
    if not folder.exists():
        fresh = Path(tempfile.mkdtemp(dir=cache("corpora")))
        for session in _rows(Path(f"{corpus(events)}.corpus.jsonl")):
            path = fresh / Path(session["cwd"]).name / session["session_id"]
            path.mkdir(parents=True)
            lines = [_header(session), *(_event(event, session["session_id"]) for event in session["events"])]
            text = "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines)
            (path / "session.jsonl").write_text(text, encoding="utf-8")
        fresh.rename(folder)
    return folder


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _header(session: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "session", "version": 0, "id": session["session_id"], "createdAt": session["created_at"],
        "cwd": session["cwd"], "delegationDepth": 0,
    }  # fmt: skip


def _event(event: dict[str, Any], session: str) -> dict[str, Any]:
    id_, seq = f"{session}-m{event['seq']}", event["seq"]
    row: dict[str, Any] = {"type": event["type"], "seq": seq, "time": event["time"]}
    content: list[dict[str, Any]] = [{"type": "text", "text": event["text"]}]
    step = {"turn": 0, "step": 0}
    match event["type"]:
        case "user/message":
            row["data"] = {"id": id_, "role": "user", "source": {"kind": "user"}, "content": content}
        case "assistant/message":
            source = {"kind": "model", "provider": "p", "model": "m"}
            row["data"] = {**step, "message": {"id": id_, "role": "assistant", "source": source, "content": content}}
        case "tool/call":
            name, _, arguments = event["text"].partition("\n")
            row["data"] = {**step, "callId": f"c{seq}", "name": name, "arguments": arguments}
            return row
        case _:
            call = f"c{seq - 1}"
            content = [{"type": "tool-result", "toolCallId": call, "content": content}]
            message = {"id": id_, "role": "user", "source": {"kind": "tool", "callId": call}, "content": content}
            row["data"] = {**step, "message": message}
    return {**row, "surfaceOp": "append"}
