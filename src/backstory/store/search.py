"""What ranking asks of the indexes: how common tokens are, which rows match, and the rows to show.

Tokens and stems come from the very tokenizers the indexes use. Nothing here decides an order beyond FTS5's own.
"""

import json
from collections.abc import Iterator, Sequence

import apsw

from backstory.records.base import Record
from backstory.store.history import History
from backstory.store.statements import load
from backstory.store.where import Clause

SQL = load("search")
PLAIN = ("unicode61", ["remove_diacritics", "2"])
STEMMED = ("porter", ["unicode61", "remove_diacritics", "2"])
SCAN = 2_000
NOTHING = Clause("", {})


class WordMatch(Record, frozen=True):
    """A MATCH expression with the numbers of its phrases that count, and which of those are followed by a neighbour."""

    expression: str
    phrases: tuple[int, ...]
    pairs: tuple[int, ...]


class WordRow(Record, frozen=True):
    """A row that matches words: `evidence` is what `store.ranking.evidence` says of it."""

    id: int
    session: int
    evidence: str


class ScoredRow(Record, frozen=True):
    """A row with FTS5's own bm25 (lower is better)."""

    id: int
    session: int
    rank: float


def tokens(history: History, text: str, *, stemmed: bool) -> list[str]:
    """The tokens of a text as the plain or the stemmed indexes see them, in order, with repetitions."""
    name, args = STEMMED if stemmed else PLAIN
    tokenizer = history.db.fts5_tokenizer(name, args)
    found: list[str] = tokenizer(text.encode("utf-8", "replace"), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False)
    return found


def documents(history: History, index: str, token: str) -> int:
    """How many rows of an index (`word`, `literal`, `passage`) hold a token."""
    sql: str = getattr(SQL, f"{index}_docs")
    return next((int(docs) for (docs,) in history.db.execute(sql, (token,))), 0)


def row_count(history: History) -> int:
    """The number of rows in the word index, read from its own bookkeeping without counting."""
    for (block,) in history.db.execute(SQL.row_count):
        return _varint(block)
    return 0


def _varint(block: bytes) -> int:
    value = 0
    for byte in block[:8]:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


def newest_id(history: History) -> int:
    """The highest row id, 0 for an empty index."""
    return int(history.db.execute("SELECT coalesce(max(id), 0) FROM entries").fetchall()[0][0])


def match_words(
    history: History, match: WordMatch, *, floor: int, limit: int, where: Clause = NOTHING
) -> list[WordRow]:
    """The best rows of the word index by FTS5's bm25, with their evidence."""
    sql = SQL.words.replace("{where}", where.sql)
    phrases, pairs = (",".join(map(str, numbers)) for numbers in (match.phrases, match.pairs))
    args = {"match": match.expression, "phrases": phrases, "pairs": pairs, "floor": floor, "limit": limit}
    return [WordRow(*row) for row in history.db.execute(sql, {**args, **where.args})]


def match_results(history: History, match: str, *, floor: int, limit: int, where: Clause = NOTHING) -> list[ScoredRow]:
    """The best rows of the literal index by FTS5's bm25."""
    sql = SQL.results.replace("{where}", where.sql)
    args = {"match": match, "floor": floor, "limit": limit}
    return [ScoredRow(*row) for row in history.db.execute(sql, {**args, **where.args})]


def match_passages(history: History, match: str, *, limit: int) -> list[tuple[int, float]]:
    """(session, bm25) of the best conversation pieces."""
    return [(session, rank) for session, rank in history.db.execute(SQL.passages, {"match": match, "limit": limit})]


def holding(
    history: History, match: str, text: str, *, below: int, limit: int, where: Clause = NOTHING
) -> list[tuple[int, int, str]]:
    """(id, session, kind) of rows that match and hold `text` literally, newest first.

    At most `SCAN` matching rows are looked at.
    """
    sql = SQL.holding.replace("{where}", where.sql)
    args = {"match": match, "text": text, "below": below, "limit": limit, "scan": SCAN}
    return history.db.execute(sql, {**args, **where.args}).fetchall()


def newest(history: History, *, limit: int, where: Clause = NOTHING) -> list[tuple[int, int]]:
    """(id, session) of the newest rows with text."""
    return history.db.execute(SQL.newest.replace("{where}", where.sql), {"limit": limit, **where.args}).fetchall()


class HitRow(Record, frozen=True):
    """What is shown of a hit; `text` is cut at `LONGEST` code points, `size` is its whole length."""

    id: int
    source: str
    session_id: str
    path: str
    title: str | None
    cwd: str | None
    missing: int
    entry_id: str | None
    seq: int
    role: str | None
    kind: str
    time: int | None
    surface: str
    tool: str | None
    text: str | None
    session: int
    size: int


LONGEST = 200_000


def hits(history: History, ids: Sequence[int]) -> dict[int, HitRow]:
    """The rows to show, by id."""
    rows = history.db.execute(SQL.hits, {"ids": json.dumps(list(ids)), "longest": LONGEST})
    return {row[0]: HitRow(*row) for row in rows}


def holding_rows(history: History, match: str, text: str, where: Clause = NOTHING) -> Iterator[tuple[int, int]]:
    """(id, session) of all rows that match and hold `text` literally, newest first, found as they are asked for."""
    return history.db.execute(SQL.aligned.replace("{where}", where.sql), {"match": match, "text": text, **where.args})


def scanned_rows(history: History, text: str, where: Clause = NOTHING) -> Iterator[tuple[int, int]]:
    """The same without an index: every stored text is looked at."""
    return history.db.execute(SQL.scanned.replace("{where}", where.sql), {"text": text, **where.args})


def vocabulary(history: History, part: str, limit: int) -> list[str]:
    """Tokens of the literal index that contain `part`, at most `limit`."""
    return [term for (term,) in history.db.execute(SQL.vocabulary, (part, limit))]
