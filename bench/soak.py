"""Four processes append to, index and search one store for a while; then nothing may be missing or differ.

`python -m bench.soak [SECONDS]` (default 1,800; 60 makes the short form). Prints one JSON object; exits 1 when a row
was lost, a search failed, or a rebuild gives another answer.
"""

import hashlib
import json
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from backstory.engine.query.service import QueryService
from backstory.errors import BackstoryError
from backstory.index.live import LiveSessions
from backstory.records.query import Mode, SearchEvents, SearchSessions
from backstory.sources.discover import Place
from backstory.store.history import open_history
from bench.table import Row

PROCESSES = 4
SESSIONS = 12
PAUSE = 0.02
WORDS = ["emu", "wombat", "quokka", "numbat", "bilby", "dingo", "galah", "koala", "possum", "brolga"]


def work(number: int, folder: str, seconds: float, told: Any) -> None:
    """One process: appends to sessions of its own, indexes everything, searches everything."""
    draw = random.Random(number)
    store, counts, errors = Path(folder, "store"), dict.fromkeys(range(SESSIONS), 0), []
    service = QueryService(str(Path(folder, "history.db")), LiveSessions(), [Place("dsh", str(store))])
    end = time.monotonic() + seconds
    passes = searches = 0
    while time.monotonic() < end:
        at = draw.randrange(SESSIONS)
        counts[at] = append(store, f"p{number}-s{at}", counts[at], draw)
        try:
            service.reconcile()
            passes += 1
            word = draw.choice(WORDS)
            mode = draw.choice(list(Mode))
            service.search_sessions(SearchSessions(query=word, mode=mode))
            service.search_events(SearchEvents(query=word, mode=mode))
            searches += 2
        except BackstoryError as error:
            errors.append(f"{error.code}: {error}")
        time.sleep(PAUSE)
    service.close()
    told.put({"written": sum(counts.values()), "passes": passes, "searches": searches, "errors": errors})


def append(store: Path, id_: str, count: int, draw: random.Random) -> int:
    """Adds one to four events to a log, in one or two writes that may cut a line; gives the new count."""
    path = store / id_ / "session.jsonl"
    more = draw.randrange(1, 5)
    lines = "".join(line(seq, draw) for seq in range(count, count + more)).encode()
    if count == 0:
        path.parent.mkdir(parents=True, exist_ok=True)
        head = {"type": "session", "version": 0, "id": id_, "createdAt": 1_760_000_000_000, "delegationDepth": 0}
        lines = json.dumps(head).encode() + b"\n" + lines
    cut = draw.randrange(len(lines))
    for piece in (lines[:cut], lines[cut:]):
        with path.open("ab") as file:
            file.write(piece)
    return count + more


def line(seq: int, draw: random.Random) -> str:
    """One event."""
    text = " ".join(draw.choices(WORDS, k=draw.randrange(3, 30)))
    content = [{"type": "text", "text": text}]
    data = {"id": f"m{seq}", "role": "user", "source": {"kind": "user"}, "content": content}
    row = {"type": "user/message", "seq": seq, "time": 1_760_000_000_000 + seq, "data": data, "surfaceOp": "append"}
    return json.dumps(row) + "\n"


def projection(path: str) -> tuple[int, str]:
    """The number of stored events and a hash over all that a rebuild must give again."""
    history = open_history(path)
    sql = """
        SELECT s.id, e.seq, e.kind, e.surface, e.time, t.text FROM entries e
        JOIN sessions s ON s.key = e.session LEFT JOIN texts t ON t.id = e.id ORDER BY s.id, e.seq
    """
    rows = history.db.execute(sql).fetchall()
    history.db.execute("INSERT INTO literal (literal) VALUES ('integrity-check')")
    count = "SELECT count(*) FROM literal WHERE literal MATCH ?"
    found = [history.db.execute(count, (word,)).fetchall() for word in WORDS]
    history.close()
    return len(rows), hashlib.sha256(repr((rows, found)).encode()).hexdigest()


def soak(seconds: float) -> dict[str, Any]:
    """Runs everything and says what came out."""
    folder = tempfile.mkdtemp(prefix="backstory-soak-")
    Path(folder, "store").mkdir()
    told: Any = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(at, folder, seconds, told)) for at in range(PROCESSES)]
    for worker in workers:
        worker.start()
    reports = [told.get(timeout=seconds + 120) for _ in workers]
    for worker in workers:
        worker.join()
    stored, rebuilt = (_indexed(folder, name) for name in ("history.db", "rebuilt.db"))
    shutil.rmtree(folder)
    written = sum(report["written"] for report in reports)
    errors = [error for report in reports for error in report["errors"]]
    return {
        "seconds": seconds, "written": written, "stored": stored[0], "rebuild equal": stored == rebuilt,
        "passes": sum(report["passes"] for report in reports), "errors": len(errors), "first errors": errors[:3],
        "searches": sum(report["searches"] for report in reports),
        "sound": written == stored[0] and stored == rebuilt and not errors,
    }  # fmt: skip


def figures(seconds: float) -> list[Row]:
    """What came out, as rows of the table."""
    found = soak(seconds)
    counts = f"{found['written']:,} events, {found['passes']:,} passes, {found['searches']:,} searches"
    told = f"{found['errors']} failed, a rebuild is {'the same' if found['rebuild equal'] else 'NOT the same'}"
    return [Row(f"{PROCESSES} processes on one store, {seconds:.0f} s", counts, told, goal="sound", met=found["sound"])]


def _indexed(folder: str, name: str) -> tuple[int, str]:
    path = str(Path(folder, name))
    service = QueryService(path, LiveSessions(), [Place("dsh", str(Path(folder, "store")))])
    service.reconcile()
    service.close()
    return projection(path)


if __name__ == "__main__":
    outcome = soak(float(sys.argv[1]) if len(sys.argv) > 1 else 1_800.0)
    print(json.dumps(outcome))
    raise SystemExit(not outcome["sound"])
