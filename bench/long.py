"""Makes one long session out of many real ones: their records in a row, each hanging on the one before it.

Compactions are left out, so that all of it is the context of the next call.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import places

NAME = "00000000-0000-4000-8000-000000000000"


def session(entries: int) -> Path:
    """The log of a Claude Code session with so many entries that a model sees."""
    folder = places.cache("long") / str(entries)
    path = folder / f"{NAME}.jsonl"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        with draft.open("w", encoding="utf-8") as file:
            for number, record in enumerate(_records()):
                if number == entries:
                    break
                file.write(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n")
        draft.rename(path)
    return path


def _records() -> Iterator[dict[str, Any]]:
    above: str | None = None
    for path in sorted(places.real_sessions().rglob("*.jsonl"), key=lambda path: -path.stat().st_size):
        seen: set[str] = set()
        for line in path.read_bytes().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            id_ = record.get("uuid") if isinstance(record, dict) else None
            if id_ is None or id_ in seen or record.get("isSidechain") or not _plain(record):
                continue
            seen.add(id_)
            record |= {"parentUuid": above, "sessionId": NAME}
            above = id_
            yield record


def _plain(record: dict[str, Any]) -> bool:
    return record.get("type") in {"user", "assistant"} and not record.get("isCompactSummary")
