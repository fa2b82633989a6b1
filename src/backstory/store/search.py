"""Which rows of the indexes match, with what ranking has to know of each.

Nothing here decides an order beyond FTS5's own. Neighbours: `vocabulary` and `statistics` say which words to ask for,
`hits` shows what came of it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from backstory.records.base import Record
from backstory.store.history import History
from backstory.store.hits import in_time
from backstory.store.statements import array, live, load
from backstory.store.where import Clause

SQL = load("search")
SCAN = 2_000
ABOVE_ALL = 1 << 62
NOTHING = Clause("", {})


class WordMatch(Record, frozen=True):
    """A MATCH expression with the numbers of its phrases that count, and which of those are followed by a neighbour."""

    expression: str
    phrases: tuple[int, ...]
    pairs: tuple[int, ...]


class WordRow(Record, frozen=True):
    """A row, or a piece of conversation, that matches words, with what `store.ranking.evidence` says of it.

    A person `typed` it, or not. Its number in the session, `seq`, and its `time` (Unix milliseconds) are told for rows
    of the word index only.
    """

    id: int
    session: int
    evidence: bytes
    typed: int = 0
    seq: int = 0
    time: int | None = None


def visible(history: History, sql: str, where: Clause) -> str:
    """A statement with its conditions filled in, and without sessions that this connection hides."""
    if where.copies or history.away:
        sql = sql.replace("e.copy = 0", "1")
    hidden = " AND e.session NOT IN (SELECT key FROM hidden)" if history.hiding else ""
    return sql.replace("{where}", where.sql + hidden).replace("{hidden}", hidden.replace("e.session", "s.session"))


def match_words(
    history: History, match: WordMatch, *, floor: int, limit: int, ranked: bool = True, where: Clause = NOTHING
) -> list[WordRow]:
    """The best rows of the word index by FTS5's bm25, else the newest ones, with their evidence."""
    return _matching(history, SQL.words if ranked else SQL.newest_words, match, floor, limit, where)


def match_results(
    history: History, match: WordMatch, *, floor: int, limit: int, ranked: bool = True, where: Clause = NOTHING
) -> list[WordRow]:
    """The same of the literal index."""
    return _matching(history, SQL.results if ranked else SQL.newest_results, match, floor, limit, where)


def _matching(history: History, sql: str, match: WordMatch, floor: int, limit: int, where: Clause) -> list[WordRow]:
    args = {
        "match": match.expression, "phrases": bytes(match.phrases), "pairs": bytes(match.pairs),
        "floor": floor, "limit": limit, **where.args,
    }  # fmt: skip
    return _chosen(history, visible(history, sql, where), args)


def _chosen(history: History, sql: str, args: dict[str, Any]) -> list[WordRow]:
    """The rows a statement chooses, `limit` of them; of live ones twice as many, as counts of few say less of them."""
    found = [WordRow(*row) for row in history.rows(sql, args)]
    if history.live:
        found += [WordRow(*row) for row in history.rows(live(sql), {**args, "limit": 2 * args["limit"]})]
    return found


def passage_evidence(history: History, match: WordMatch, *, floor: int, limit: int) -> list[WordRow]:
    """The best conversation pieces with their evidence, stored and live."""
    args = {"match": match.expression, "phrases": bytes(match.phrases), "floor": floor, "limit": limit}
    return _chosen(history, visible(history, SQL.passage_evidence, NOTHING), args)


def with_text(
    history: History, match: str, text: str, *, below: int, limit: int, where: Clause = NOTHING
) -> list[tuple[int, int]]:
    """(id, session) of rows that match and hold `text` literally, live ones first, then newest first.

    At most `SCAN` matching rows are looked at.
    """
    sql = visible(history, SQL.with_text, where)
    args = {"match": match, "text": text, "below": below, "limit": limit, "scan": SCAN, **where.args}
    found = list(history.rows(sql, args))
    if history.live:
        found = [*history.rows(live(sql), {**args, "below": ABOVE_ALL}), *found]
    return found[:limit]


def with_phrase(history: History, match: str, *, below: int, most: int) -> list[int]:
    """The newest `most` rows that match, copies and hidden ones among them; neither texts nor entries are read."""
    args = {"match": match, "below": below, "most": most}
    found = list(history.rows(SQL.with_phrase, args))
    if history.live:
        found = [*history.rows(live(SQL.with_phrase), {**args, "below": ABOVE_ALL}), *found]
    return [id_ for (id_,) in found[:most]]


def admitted(history: History, ids: Sequence[int], where: Clause) -> list[tuple[int, int]]:
    """(id, session) of those of some rows that are no copies, not hidden, and meet conditions."""
    return history.everywhere(visible(history, SQL.admitted, where), {"ids": array(ids), **where.args}) if ids else []


def said_at(
    history: History, places: Iterable[tuple[int, int]], where: Clause = NOTHING
) -> list[tuple[int, int, int, int | None]]:
    """(id, session, seq, time) of what people and models said at (session, seq) places, where conditions hold."""
    args = {"places": array(places), **where.args}
    return history.everywhere(visible(history, SQL.said_at, where), args)


def newest(history: History, *, limit: int, where: Clause = NOTHING) -> list[tuple[int, int]]:
    """(id, session) of rows with text, newest first, gathered from the sessions that were last used."""
    args = {"limit": limit, "sessions": -1, **where.args}
    return in_time(history, history.everywhere(visible(history, SQL.newest, where), args))[:limit]


def calls(history: History, ids: Iterable[int], tool: str, word: str) -> list[tuple[int, str | None, str]]:
    """(id, tool, text) of those entries among some that are calls of a tool, or of another with a word in them."""
    return history.everywhere(SQL.calls, {"ids": array(ids), "tool": tool, "word": word})
