"""What ranking asks of the indexes: how common tokens are, which rows match, and the rows to show.

Tokens and stems come from the very tokenizers the indexes use. Nothing here decides an order beyond FTS5's own.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw
import msgspec

from backstory.records.base import Record
from backstory.store.history import History
from backstory.store.statements import array, live, load, past
from backstory.store.where import Clause
from backstory.text.match import quoted

SQL = load("search")
PLAIN = ("unicode61", ["remove_diacritics", "2"])
STEMMED = ("porter", ["unicode61", "remove_diacritics", "2"])
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


def said(history: History, match: str) -> bool:
    """Whether any row of the word index matches, live rows included."""
    return bool(_both(history, SQL.said, (match,)))


def calls(history: History, ids: Iterable[int], tool: str, word: str) -> list[tuple[int, str | None, str]]:
    """(id, tool, text) of those entries among some that are calls of a tool, or of another with a word in them."""
    return _both(history, SQL.calls, {"ids": array(ids), "tool": tool, "word": word})


def frequencies(history: History, index: str, words: Sequence[str], most: int) -> dict[str, int]:
    """About how many rows of an index (`word`, `literal`, `passage`) hold each word, exact below `most`.

    Counting all rows of a common word takes longer than a search. So at most this many are looked at, and the count of
    a word that has more is drawn from how soon they were found: from the oldest row on, and for `word` from the newest
    on as well. The lower count holds, so that a word which filled one time does not pass for one of all times.
    """
    known = history.known()
    unknown = [word for word in words if (index, most, word) not in known]
    if unknown:
        known.update({(index, most, word): docs for word, docs in _stored(history, index, unknown, most).items()})
    counts = {word: known[index, most, word] for word in words}
    if history.live:
        args = {"matches": array(map(quoted, words)), "most": -1}
        for at, told in history.rows(live(getattr(SQL, f"{index}_first")), args):
            counts[words[at]] += msgspec.json.decode(told)[0]
    return counts


def _stored(history: History, index: str, words: Sequence[str], most: int) -> dict[str, int]:
    found = _counted(history, f"{index}_first", words, most)
    counts = {word: docs for word, (docs, _) in found.items()}
    common = [word for word, docs in counts.items() if docs >= most]
    if common:
        ids = piece_ids(history) if index == "passage" else entry_ids(history)
        counts |= {word: max(len(ids) * most // max(found[word][1] - ids.start + 1, 1), most) for word in common}
        last = _counted(history, f"{index}_last", common, most) if index == "word" else {}
        for word, (_, oldest) in last.items():
            counts[word] = min(counts[word], max(len(ids) * most // max(ids.stop - oldest, 1), most))
    return counts


def _counted(history: History, name: str, words: Sequence[str], most: int) -> dict[str, tuple[int, int]]:
    args = {"matches": array(map(quoted, words)), "most": most}
    told = {words[at]: msgspec.json.decode(text) for at, text in history.rows(getattr(SQL, name), args)}
    return {word: (docs, id_ or 0) for word, (docs, id_) in told.items()}


def row_count(history: History) -> int:
    """The number of rows in the index of words, read from its own bookkeeping without counting."""
    return sizes(history, "word")[0]


def sizes(history: History, index: str) -> tuple[int, int]:
    """(rows, tokens) of an index, live rows included."""
    known, sql = history.known(), getattr(SQL, f"{index}_sizes")
    if sql not in known:
        [(block,)] = history.rows(sql)
        known[sql] = _varints(block)
    rows, words = known[sql]
    for (block,) in history.rows(live(sql)) if history.live else ():
        more = _varints(block)
        rows, words = rows + more[0], words + more[1]
    return rows, words


def _varints(block: bytes) -> tuple[int, int]:
    """What FTS5 keeps of a whole index: its rows, and then the tokens of each column, here in one sum."""
    values = [0]
    for byte in block:
        values[-1] = values[-1] << 7 | byte & 0x7F
        if byte < 0x80:
            values.append(0)
    return values[0], sum(values[1:])


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


def newest_id(history: History) -> int:
    """The highest row id of a stored entry, 0 for an empty index; ids of live entries lie above all of these."""
    return _number(history, SQL.last_entry)


def entry_ids(history: History) -> range:
    """The ids that rows of stored entries lie in; once all sessions were read again, all lie above those before."""
    return range(_number(history, SQL.first_entry), newest_id(history) + 1)


def piece_ids(history: History) -> range:
    """The ids that rows of stored conversation pieces lie in."""
    return range(_number(history, SQL.first_piece), _number(history, SQL.last_piece) + 1)


def _number(history: History, sql: str) -> int:
    known = history.known()
    if sql not in known:
        [(known[sql],)] = history.rows(sql)
    return int(known[sql])


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
    return _both(history, visible(history, SQL.admitted, where), {"ids": array(ids), **where.args}) if ids else []


def said_at(
    history: History, places: Iterable[tuple[int, int]], where: Clause = NOTHING
) -> list[tuple[int, int, int, int | None]]:
    """(id, session, seq, time) of what people and models said at (session, seq) places, where conditions hold."""
    args = {"places": array(places), **where.args}
    return _both(history, visible(history, SQL.said_at, where), args)


def newest(history: History, *, limit: int, where: Clause = NOTHING) -> list[tuple[int, int]]:
    """(id, session) of rows with text, newest first, gathered from the sessions that were last used."""
    args = {"limit": limit, "sessions": -1, **where.args}
    return in_time(history, _both(history, visible(history, SQL.newest, where), args))[:limit]


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


def vocabulary(history: History, part: str, limit: int) -> list[str]:
    """Tokens of the literal index that contain `part`, or were too long to be kept whole, at most `limit`."""
    return list(dict.fromkeys(term for (term,) in _both(history, SQL.vocabulary, (part, limit))))[:limit]


def with_signs(history: History, signs: str) -> list[str]:
    """Tokens of the literal index that hold any of these signs, none of them one that a pattern knows."""
    known, sql, args = history.known(), SQL.with_signs, (signs,)
    if (sql, signs) not in known:
        known[sql, signs] = list(history.rows(sql, args))
    found = [*known[sql, signs], *(history.rows(live(sql), args) if history.live else ())]
    return list(dict.fromkeys(term for (term,) in found))


def starting(history: History, start: str, limit: int) -> list[tuple[str, int]]:
    """(token, rows) of tokens of the literal index that begin with `start`, at most `limit` in their own order."""
    return _merged(_both(history, SQL.starting, (start, past(start), limit)))


def among(history: History, tokens: Sequence[str]) -> list[tuple[str, int]]:
    """(token, rows) of those of the given tokens that the literal index holds."""
    return _merged(_both(history, SQL.among, (array(tokens),)))


def latest_with(history: History, piece: str, latest: int, most: int, *, folded: bool) -> list[str]:
    """At most `most` of the `latest` texts, those that hold a piece of letters; `folded`: in capitals or not."""
    args = {"piece": piece, "latest": latest, "most": most, "folded": folded}
    return [text for (text,) in _both(history, SQL.latest_with, args)]


def latest_signs(history: History, latest: int) -> Iterator[str]:
    """Those of the `latest` texts that hold any sign beyond ASCII."""
    for sql in (SQL.latest_signs, live(SQL.latest_signs)) if history.live else (SQL.latest_signs,):
        for (text,) in history.rows(sql, {"latest": latest}):
            yield text


def _merged(found: list[tuple[Any, ...]]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for term, docs in found:
        counts[term] = counts.get(term, 0) + docs
    return list(counts.items())
