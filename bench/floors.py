"""What cannot be avoided: the least work that yields a searchable index of the same logs.

The bare floor reads the bytes, decodes each line and inserts the text into a table and one FTS5 index. The rich floor
also hashes each record, looks for secrets once and fills the product's own indexes with the product's own strings.
Both get their strings ready-made (taken from a finished index of the product, untimed), run in one process, with
the product's pragmas and transactions of the same size.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import apsw
import msgspec

from backstory.index import extract
from backstory.index.sync import GROUP_BYTES
from backstory.privacy.secrets import suspect
from backstory.store import passages
from backstory.store.connection import tune
from backstory.store.entries import SQL as ENTRIES
from backstory.store.history import open_history
from backstory.store.passages import SQL as PASSAGES

BARE = """
CREATE TABLE base (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE VIRTUAL TABLE found USING fts5 (text, content='', contentless_delete=1, tokenize='unicode61');
INSERT INTO found (found, rank) VALUES ('hashsize', 16777216);
"""
CHUNK = 1 << 20
# The logs of one transaction of the product hold about this much text.
BATCH_CHARS = GROUP_BYTES // 6


class Batch(NamedTuple):
    """What the product stored and indexed of some consecutive entries, ready to insert."""

    texts: list[tuple[int, str]]
    literal: list[tuple[int | bytes | None, ...]]
    words: list[tuple[int, bytes]]


class Strings(NamedTuple):
    """Everything the product stored and indexed: entries in batches, and the pieces of conversations."""

    batches: list[Batch]
    pieces: list[tuple[int, bytes]]


def strings(index: Path) -> Strings:
    """The strings of a finished index of the product."""
    history = open_history(str(index), read_only=True)
    rows = history.db.execute(
        "SELECT e.id, e.session, e.kind, t.text FROM entries e JOIN texts t ON t.id = e.id ORDER BY e.id"
    )
    said: dict[int, list[tuple[int, int, bytes]]] = {}
    batches = [Batch([], [], [])]
    size = 0
    for id_, session, kind, text in rows:
        if size >= BATCH_CHARS:
            batches.append(Batch([], [], []))
            size = 0
        size += len(text)
        *literal, words = extract.columns(kind, text.encode())
        batches[-1].texts.append((id_, text))
        batches[-1].literal.append((id_, *literal))
        if words:
            batches[-1].words.append((id_, words))
        if words and kind in extract.CONVERSATION:
            said.setdefault(session, []).append((id_, len(text), words))
    history.close()
    pieces = [piece.text for each in said.values() for piece in passages.cut(each)]
    return Strings(batches, list(enumerate(pieces, 1)))


def bare(files: Sequence[Path], given: Strings, path: Path) -> None:
    """Reads and decodes every line, then stores and indexes the texts."""
    db = apsw.Connection(str(path))
    tune(db, str(path))
    db.execute(BARE)
    decode = msgspec.json.Decoder().decode
    for raw in _records(files):
        with suppress(msgspec.DecodeError):
            decode(raw)
    for batch in given.batches:
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO base VALUES (?, ?)", batch.texts)
        db.executemany("INSERT INTO found (rowid, text) VALUES (?, ?)", batch.texts)
        db.execute("COMMIT")
    db.close()


def rich(files: Sequence[Path], given: Strings, path: Path) -> None:
    """Also hashes every record, looks for secrets, and fills the indexes that the product keeps."""
    db = open_history(str(path)).db
    decode = msgspec.json.Decoder().decode
    for raw in _records(files):
        sha256(raw).digest()
        with suppress(msgspec.DecodeError):
            decode(raw)
    for batch in given.batches:
        for _, text in batch.texts:
            suspect(text, many=True)
        db.execute("BEGIN IMMEDIATE")
        db.executemany(ENTRIES.insert_text, batch.texts)
        db.executemany(ENTRIES.insert_literal, batch.literal)
        db.executemany(ENTRIES.insert_words, batch.words)
        db.execute("COMMIT")
    db.execute("BEGIN IMMEDIATE")
    db.executemany(PASSAGES.insert_text, given.pieces)
    db.execute("COMMIT")
    db.close()


def _records(files: Sequence[Path]) -> Iterator[bytes]:
    for path in files:
        with path.open("rb") as file:
            if path.suffix == ".json":
                yield file.read()
                continue
            rest = b""
            while data := file.read(CHUNK):
                pieces = (rest + data).split(b"\n")
                rest = pieces.pop()
                yield from filter(None, pieces)
            if rest:
                yield rest
