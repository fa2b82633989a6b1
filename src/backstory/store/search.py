"""What ranking asks of the indexes: how common tokens are, which rows match, and the rows to show.

Tokens and stems come from the very tokenizers the indexes use. Nothing here decides an order beyond FTS5's own.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, Literal

import apsw

from backstory.records.base import Record
from backstory.store.history import History
from backstory.store.ranking import LENGTH_BYTES
from backstory.store.statements import array, live, load
from backstory.store.where import Clause
from backstory.text.match import quoted

SQL = load("search")
PLAIN = ("unicode61", ["remove_diacritics", "2"])
STEMMED = ("porter", ["unicode61", "remove_diacritics", "2"])
SCAN = 2_000
BATCH = 64
MOST_RECENT = 20_000
# A word too common to be counted is taken to stand in one of so many rows.
COMMONEST = 16
TOO_MANY = 1 << 40
NOTHING = Clause("", {})


class Reach(Record, frozen=True):
    """Which matching rows are wanted: all, the best `limit`, or about `limit` of the newest out of `docs`."""

    rows: Literal["best", "every", "newest"]
    limit: int = 0
    docs: int = 0


class WordMatch(Record, frozen=True):
    """A MATCH expression with the numbers of its phrases that count, and which of those are followed by a neighbour."""

    expression: str
    phrases: tuple[int, ...]
    pairs: tuple[int, ...]


class WordRow(Record, frozen=True):
    """A row that matches words: `evidence` is what `store.ranking.evidence` says of it."""

    id: int
    session: int
    seq: int
    evidence: bytes


def tokens(history: History, text: str, *, stemmed: bool) -> list[str]:
    """The tokens of a text as the plain or the stemmed indexes see them, in order, with repetitions."""
    name, args = STEMMED if stemmed else PLAIN
    tokenizer = history.db.fts5_tokenizer(name, args)
    found = tokenizer(
        text.encode("utf-8", "replace"), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False
    )
    return list(map(str, found))


def documents(history: History, stem: str) -> int:
    """How many rows of the word index hold a stem, live rows included."""
    return sum(int(docs) for (docs,) in _both(history, SQL.word_docs, (stem,)))


def frequencies(history: History, index: str, words: Sequence[str], most: int) -> dict[str, int]:
    """How many rows of an index (`word`, `literal`, `passage`) hold each word, exact below `most`.

    Counting all rows of a common word takes longer than a search. A word of `most` rows or more has `TOO_MANY`: an
    estimate from where its rows lie would depend on the order in which they were indexed.
    """
    args = {"matches": array(map(quoted, words)), "most": most}
    counts = dict.fromkeys(words, 0)
    for at, docs in _both(history, getattr(SQL, f"{index}_counts"), args):
        counts[words[at]] += docs
    return {word: docs if docs < most else TOO_MANY for word, docs in counts.items()}


def row_count(history: History, index: str = "word") -> int:
    """The number of rows in an index (`word`, `passage`), read from its own bookkeeping without counting."""
    return sizes(history, index)[0]


def sizes(history: History, index: str) -> tuple[int, int]:
    """(rows, tokens) of an index, live rows included."""
    found = [_varints(block) for (block,) in _both(history, getattr(SQL, f"{index}_sizes"), ())]
    return sum(rows for rows, _ in found), sum(tokens for _, tokens in found)


def _varints(block: bytes) -> tuple[int, int]:
    """The first two of the numbers that FTS5 keeps of a whole index: its rows, and the tokens of its first column."""
    values = [0, 0]
    at = 0
    for byte in block:
        values[at] = values[at] << 7 | byte & 0x7F
        if byte < 0x80:
            at += 1
            if at == len(values):
                break
    return values[0], values[1]


def _both(history: History, sql: str, args: Any) -> list[tuple[Any, ...]]:
    """The rows of the stored tables, then those of the live ones where there are any."""
    found = list(history.rows(sql, args))
    return [*found, *history.rows(live(sql), args)] if history.live else found


def visible(history: History, sql: str, where: Clause) -> str:
    """A statement with its conditions filled in, and without sessions that this connection hides."""
    if where.copies or history.away:
        sql = sql.replace("e.copy = 0", "1")
    hidden = " AND e.session NOT IN (SELECT key FROM hidden)" if history.hiding else ""
    return sql.replace("{where}", where.sql + hidden).replace("{hidden}", hidden.replace("e.session", "s.session"))


def match_words(history: History, match: WordMatch, *, reach: Reach, where: Clause = NOTHING) -> list[WordRow]:
    """Rows of the word index with their evidence."""
    return _matching(history, "words", match, reach, where)


def match_results(history: History, match: WordMatch, *, reach: Reach, where: Clause = NOTHING) -> list[WordRow]:
    """Rows of the literal index with their evidence."""
    return _matching(history, "results", match, reach, where)


def _matching(history: History, name: str, match: WordMatch, reach: Reach, where: Clause) -> list[WordRow]:
    phrases, pairs = (",".join(map(str, numbers)) for numbers in (match.phrases, match.pairs))
    args = {"match": match.expression, "phrases": phrases, "pairs": pairs, **where.args}
    if reach.rows == "best":
        sql = visible(history, getattr(SQL, name), where)
        terms = len(match.phrases)
        # Asking for the rank would compute it anew; it follows from the counts of the terms and the length.
        best = _best(history, sql, args, reach.limit, lambda row: row[3][:terms] + row[3][-LENGTH_BYTES:])
        return [WordRow(*row) for row in best]
    if reach.rows == "newest":
        args["window"] = _window(history, reach.limit, reach.docs)
    rows = _both(history, visible(history, getattr(SQL, f"{reach.rows}_{name}"), where), args)
    return [WordRow(*row) for row in rows]


def _window(history: History, limit: int, docs: int) -> int:
    """How many entries of the newest sessions are looked at for about `limit` rows of a match that has `docs`."""
    total = row_count(history)
    return min(limit * total // max(min(docs, total // COMMONEST), 1), MOST_RECENT)


def _best(
    history: History, sql: str, args: dict[str, object], limit: int, rank: Callable[[Any], object]
) -> Iterator[tuple[Any, ...]]:
    """The first rows, with all that are as good as the last of them."""
    for text in [sql, live(sql)] if history.live else [sql]:
        last = None
        for at, row in enumerate(history.rows(text, args)):
            if at >= limit and rank(row) != last:
                break
            if at == limit - 1:
                last = rank(row)
            yield row


def match_passages(history: History, match: WordMatch, *, limit: int) -> list[tuple[int, float]]:
    """(session, bm25) of the best conversation pieces, stored ones only."""
    rows = _best(history, visible(history, SQL.passages, NOTHING), {"match": match.expression}, limit, itemgetter(-1))
    return [(session, -rank) for session, rank in rows]


def passage_evidence(history: History, match: WordMatch, *, limit: int) -> list[tuple[int, bytes]]:
    """(session, evidence) of the best conversation pieces, stored and live."""
    args: dict[str, object] = {"match": match.expression, "phrases": ",".join(map(str, match.phrases))}
    return [
        row[:2] for row in _best(history, visible(history, SQL.passage_evidence, NOTHING), args, limit, itemgetter(-1))
    ]


def holding(history: History, match: str, text: str, *, limit: int, where: Clause = NOTHING) -> list[tuple[int, int]]:
    """(id, session) of rows that match and hold `text` literally, newest first; at most `SCAN` rows are looked at."""
    found = with_phrase(history, match, most=SCAN, where=where)
    return list(islice(_verified(history, found, text), limit))


def with_phrase(history: History, match: str, *, most: int, where: Clause = NOTHING) -> list[tuple[int, int]]:
    """(id, session) of rows that match, newest first, at most `most` of them; no text is read.

    Of a phrase of very many rows only those of the newest sessions are seen.
    """
    [count] = [n for _, n in history.rows(SQL.literal_counts, {"matches": array([match]), "most": 2 * most})]
    if count < 2 * most:
        rows = _both(history, visible(history, SQL.with_phrase, where), {"match": match, **where.args})
    else:
        args = {"match": match, "window": _window(history, most, TOO_MANY), **where.args}
        rows = _both(history, visible(history, SQL.newest_with_phrase, where), args)
    return in_time(history, rows)[:most]


def newest(history: History, *, limit: int, where: Clause = NOTHING) -> list[tuple[int, int]]:
    """(id, session) of rows with text, newest first, gathered from the sessions that were last used."""
    args = {"limit": limit, "sessions": -1, **where.args}
    return in_time(history, _both(history, visible(history, SQL.newest, where), args))[:limit]


def in_time(history: History, rows: Sequence[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """(id, session) of (id, session, time, seq), later ones first; of one time by source, session and number."""
    if len({time for _, _, time, _ in rows}) == len(rows):
        return [row[:2] for row in sorted(rows, key=lambda row: -row[2])]
    names = {key: name[1:] for key, name in session_places(history, {row[1] for row in rows}).items()}
    return [row[:2] for row in sorted(rows, key=lambda row: (-row[2], names[row[1]], row[3]))]


def entry_places(history: History, ids: Sequence[int]) -> dict[int, int]:
    """The place of each of some entries in the order of time."""
    rows = _both(history, SQL.entry_places, {"ids": array(ids)})
    return {id_: at for at, (id_, _) in enumerate(in_time(history, rows))}


def session_places(history: History, keys: Iterable[int]) -> dict[int, tuple[int, str, str, str]]:
    """What orders sessions: the last used first, then source, id and path."""
    rows = _both(history, SQL.session_places, {"keys": array(keys)})
    return {key: (-updated, source, id_, path) for key, updated, source, id_, path in rows}


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
    rows = _both(history, SQL.hits, {"ids": array(ids), "longest": LONGEST})
    return {row[0]: HitRow(*row) for row in rows}


def holding_rows(history: History, match: str, text: str, where: Clause = NOTHING) -> Iterator[tuple[int, int]]:
    """(id, session) of all rows that match and hold `text` literally, newest first."""
    rows = _both(history, visible(history, SQL.with_phrase, where), {"match": match, **where.args})
    return _verified(history, in_time(history, rows), text)


def scanned_rows(history: History, text: str, where: Clause = NOTHING) -> Iterator[tuple[int, int]]:
    """The same without an index: every stored text is looked at."""
    return iter(in_time(history, _both(history, visible(history, SQL.scanned, where), {"text": text, **where.args})))


def _verified(history: History, found: Sequence[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    size, start = BATCH, 0
    while start < len(found):
        part = found[start : start + size]
        ids = {id_ for (id_,) in _both(history, SQL.holding, {"ids": array(id_ for id_, _ in part), "text": text})}
        yield from (row for row in part if row[0] in ids)
        start += size
        size = min(2 * size, SCAN)


def vocabulary(history: History, part: str, limit: int) -> list[str]:
    """Tokens of the literal index that contain `part`, at most `limit`."""
    return list(dict.fromkeys(term for (term,) in _both(history, SQL.vocabulary, (part, limit))))[:limit]


def starting(history: History, start: str, limit: int) -> list[tuple[str, int]]:
    """(token, rows) of tokens of the literal index that begin with `start`, at most `limit` in their own order."""
    return _merged(_both(history, SQL.starting, (start, start + "\U0010ffff", limit)))


def among(history: History, tokens: Sequence[str]) -> list[tuple[str, int]]:
    """(token, rows) of those of the given tokens that the literal index holds."""
    return _merged(_both(history, SQL.among, (array(tokens),)))


def _merged(found: list[tuple[Any, ...]]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for term, docs in found:
        counts[term] = counts.get(term, 0) + docs
    return list(counts.items())
