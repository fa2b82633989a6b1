"""Jobs in one SQLite table: waiting, claimed, done or dead."""

import json
import sqlite3
import time
from dataclasses import dataclass
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
  id       INTEGER PRIMARY KEY,
  kind     TEXT NOT NULL,
  payload  TEXT NOT NULL,
  state    TEXT NOT NULL DEFAULT 'waiting',
  due      REAL NOT NULL,
  claimed  REAL,
  error    TEXT
);
CREATE INDEX IF NOT EXISTS jobs_due ON jobs (state, due);
"""
BUSY_TIMEOUT_MS = 5_000


@dataclass(frozen=True)
class Job:
    """One job as a worker sees it."""

    id: int
    kind: str
    payload: dict[str, Any]


class Queue:
    """A queue in one file; open one per process."""

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        self._db.executescript(SCHEMA)

    def add(self, kind: str, payload: dict[str, Any], due: float | None = None) -> int:
        """Puts a job in; it may run from `due` on."""
        row = (kind, json.dumps(payload), time.time() if due is None else due)
        cursor = self._db.execute("INSERT INTO jobs (kind, payload, due) VALUES (?, ?, ?)", row)
        return int(cursor.lastrowid or 0)

    def claim(self) -> Job | None:
        """Takes the job that is due longest; None when none is due.

        BEGIN IMMEDIATE takes the write lock first, so two workers never claim the same job.
        """
        self._db.execute("BEGIN IMMEDIATE")
        try:
            row = self._db.execute(
                "SELECT id, kind, payload FROM jobs WHERE state = 'waiting' AND due <= ? ORDER BY due, id LIMIT 1",
                (time.time(),),
            ).fetchone()
            if row:
                self._db.execute("UPDATE jobs SET state = 'claimed', claimed = ? WHERE id = ?", (time.time(), row[0]))
        finally:
            self._db.execute("COMMIT")
        return Job(row[0], row[1], json.loads(row[2])) if row else None

    def finish(self, job: Job) -> None:
        """Notes that a job is done."""
        self._db.execute("UPDATE jobs SET state = 'done' WHERE id = ?", (job.id,))

    def bury(self, job: Job, error: str) -> None:
        """Notes that a job failed; nobody tries again until a person asks for it."""
        self._db.execute("UPDATE jobs SET state = 'dead', error = ? WHERE id = ?", (error, job.id))

    def requeue(self, id_: int) -> bool:
        """Puts a dead job back; false when it is not dead."""
        cursor = self._db.execute(
            "UPDATE jobs SET state = 'waiting', due = ?, error = NULL WHERE id = ? AND state = 'dead'",
            (time.time(), id_),
        )
        return cursor.rowcount == 1

    def dead(self) -> list[tuple[int, str, str]]:
        """(id, kind, error) of every dead job."""
        return self._db.execute("SELECT id, kind, error FROM jobs WHERE state = 'dead' ORDER BY id").fetchall()
