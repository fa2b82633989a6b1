"""Ranked search: gathers bounded candidates from each index and lets the pure scores of `rank` order them.

Three kinds of candidates: rows whose words match, tool output that matches, and rows that hold a name or an exact
phrase literally. Everything below is deterministic; ties end in session and sequence order through row ids.
"""

from collections.abc import Mapping, Sequence

import msgspec

from backstory.records.base import Record
from backstory.retrieve import rank, terms
from backstory.retrieve.expand import expand
from backstory.store import copies, search
from backstory.store.history import History
from backstory.store.search import WordMatch
from backstory.store.where import Clause
from backstory.text.fold import spaced
from backstory.text.match import any_of, in_columns, quoted
from backstory.text.parts import camel_parts
from backstory.text.query import Query
from backstory.text.stopwords import ENGLISH, MORE_ENGLISH

WORD_ROWS = 300
WORD_ROWS_OF_FEW = 120
RESULT_ROWS = 60
RECENT_ROWS = 20_000
RESULT_POSTINGS = 500
RESULT_SHARE = 0.5
PASSAGES = 200
HELD = 120
MOST_NAMES = 6
MOST_NAMES_ASIDE = 3
NAME_BONUS = 0.1
TIER = 10.0

STOPWORDS = ENGLISH | MORE_ENGLISH
RECENT = "only very common words: the newest entries were searched"
NO_PHRASE = "no entry holds the exact phrase; entries with its words are shown"


class Ranked(msgspec.Struct):
    """Ordered candidates as (id, session key, score), best first, over a bounded candidate set.

    `truncated` says that more rows matched than were ranked.
    """

    entries: list[tuple[int, int, float]] = []
    sessions: list[tuple[int, float, int]] = []
    warnings: list[str] = []
    truncated: bool = False


class Spelled(Record, frozen=True):
    """The words of a query in order, one spelling for each stem, and the stem of each.

    Statistics are kept by stem, but MATCH wants the word: the tokenizer stems it again, and a stem has another stem.
    """

    words: Sequence[str]
    stems: Mapping[str, str]


class Candidates(Record, frozen=True):
    """Everything a query found: word rows and result rows as id -> (session, score), passages, and held names."""

    words: Mapping[int, tuple[int, rank.RowScore]]
    results: Mapping[int, tuple[int, float]]
    passages: Mapping[int, float]
    held: Mapping[int, tuple[int, float]]
    only: frozenset[int] | None
    decisive: bool


def ranked(history: History, query: Query, where: Clause) -> Ranked:
    """Entries and sessions for a query, each in its own order; filters alone give the newest entries."""
    if query.filters and not (query.words or query.phrases):
        return _newest(history, where)
    out = Ranked()
    found = _gather(history, query, where, out)
    entries = rank.entry_scores(
        {id_: (session, score.entry) for id_, (session, score) in found.words.items()}, found.passages
    )
    ceiling = RESULT_SHARE * max(entries.values(), default=1.0)
    top = max((score for _, score in found.results.values()), default=0.0)
    for id_, (_, score) in found.results.items():
        entries.setdefault(id_, ceiling * score / top if top else 0.0)
    bonus = TIER if found.decisive else NAME_BONUS
    owner = {id_: pair[0] for rows in (found.held, found.results, found.words) for id_, pair in rows.items()}
    for id_, (_, share) in found.held.items():
        entries[id_] = entries.get(id_, 0.0) + bonus * share
    if found.only is not None:
        entries = {id_: score for id_, score in entries.items() if id_ in found.only}
    out.entries = sorted(((id_, owner[id_], score) for id_, score in entries.items()), key=lambda e: (-e[2], e[0]))
    out.sessions = _sessions(found, out.entries, bonus, narrowed=bool(where.sql))
    return out


def _newest(history: History, where: Clause) -> Ranked:
    rows = search.newest(history, limit=WORD_ROWS, where=where)
    best: dict[int, int] = {}
    for id_, session in rows:
        best.setdefault(session, id_)
    sessions = [(session, 0.0, id_) for session, id_ in best.items()]
    return Ranked([(id_, session, 0.0) for id_, session in rows], sessions, truncated=len(rows) == WORD_ROWS)


def _sessions(
    found: Candidates, entries: Sequence[tuple[int, int, float]], bonus: float, *, narrowed: bool
) -> list[tuple[int, float, int]]:
    """(session key, score, best entry id), best first; a session without a matching entry has best 0.

    When a query is narrowed, only a matching entry says that a session is meant.
    """
    rows = [(session, score.session) for session, score in found.words.values()]
    scores = rank.session_scores(rows, found.passages)
    best: dict[int, int] = {}
    for id_, session, _ in entries:
        best.setdefault(session, id_)
    shares: dict[int, float] = {}
    for session, share in found.held.values():
        shares[session] = max(shares.get(session, 0.0), share)
    for session, share in shares.items():
        scores[session] = scores.get(session, 0.0) + bonus * share
    for session in best:
        scores.setdefault(session, 0.0)
    if narrowed or found.only is not None:
        scores = {session: score for session, score in scores.items() if session in best}
    order = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [(session, score, best.get(session, 0)) for session, score in order]


def _gather(history: History, query: Query, where: Clause, out: Ranked) -> Candidates:
    plain = [word for word in query.words if word.lower().strip(".,;:!?'\"()") not in STOPWORDS]
    text = spaced(" ".join([*(plain or query.words), *query.phrases]))
    tokens = search.tokens(history, text, stemmed=False)
    said = f"{text} {camel_parts(text)}"
    for meant in expand(history, tokens) if query.expand else ():
        out.warnings.append(f"no entry holds {meant.word!r}: searched for {', '.join(meant.words)}")
        tokens += meant.words
        said = " ".join([said, *meant.words])
    spelled = _spelled(history, said)
    newest = search.newest_id(history)
    # Words that carry no topic say nothing about which old entry is meant.
    oldest = 0 if plain else max(newest - RECENT_ROWS, 0)
    if query.words and not plain:
        out.warnings.append(RECENT)
    words = _word_rows(history, spelled, newest, oldest, where, out)
    results = _result_rows(history, tokens, newest, where)
    out.truncated = out.truncated or len(results) >= RESULT_ROWS
    passages = _passages(history, spelled)
    decisive = bool(query.names) and len(query.names) >= len(plain)
    held, only = _held(history, query, newest, where, out, decisive=decisive)
    return Candidates(words, results, passages, held, only, decisive)


def _spelled(history: History, text: str) -> Spelled:
    """The words of a text, each in the spelling in which its stem first occurs."""
    stems = search.tokens(history, text, stemmed=True)
    first: dict[str, str] = {}
    for stem, token in zip(stems, search.tokens(history, text, stemmed=False), strict=True):
        first.setdefault(stem, token)
    return Spelled([first[stem] for stem in stems], {token: stem for stem, token in first.items()})


def _word_rows(
    history: History, spelled: Spelled, newest: int, oldest: int, where: Clause, out: Ranked
) -> dict[int, tuple[int, rank.RowScore]]:
    total = search.row_count(history)
    stems, words = spelled.stems, spelled.words
    choice = terms.choose(words, lambda word: search.frequency(history, "word", word, stems[word]), total, newest)
    if choice is None:
        return {}
    floor = max(choice.floor, oldest)
    if choice.floor and RECENT not in out.warnings:
        out.warnings.append(RECENT)
    match = terms.word_match(choice, words)
    order = terms.in_query_order(choice, words)
    docs = {term.text: term.docs for term in choice.terms}
    given = rank.weights(total, [docs[text] for text in order], match.pairs)
    limit = WORD_ROWS if len(order) > terms.FEW else WORD_ROWS_OF_FEW
    rows = search.match_words(history, match, floor=floor, limit=limit, where=where)
    out.truncated = len(rows) >= limit or floor > 0
    return {row.id: (row.session, rank.row_score(row.evidence, given)) for row in rows}


def _result_rows(history: History, tokens: Sequence[str], newest: int, where: Clause) -> dict[int, tuple[int, float]]:
    total = search.row_count(history)
    choice = terms.choose(
        tokens, lambda token: search.frequency(history, "literal", token, token), total, newest, RESULT_POSTINGS
    )
    if choice is None:
        return {}
    columns = in_columns(("result", "parts"), terms.plain_match(choice))
    match = WordMatch(columns, tuple(range(len(choice.rare))), ())
    given = rank.weights(max(total, *(term.docs for term in choice.rare)), [term.docs for term in choice.rare], ())
    rows = search.match_results(history, match, floor=choice.floor, limit=RESULT_ROWS, where=where)
    return {row.id: (row.session, rank.row_score(row.evidence, given).entry) for row in rows}


def _passages(history: History, spelled: Spelled) -> dict[int, float]:
    unique = list(dict.fromkeys(spelled.words))[: terms.MOST_TERMS]
    # A word of every other piece has no weight in bm25, and finding it costs the most.
    half = search.row_count(history, "passage") / 2
    weighty = [word for word in unique if search.documents(history, "passage", spelled.stems[word]) < half]
    unique = weighty or unique
    best: dict[int, float] = {}
    for session, score in _passage_scores(history, unique, spelled.stems) if unique else []:
        best[session] = max(best.get(session, 0.0), score)
    for session in copies.twins(history, best):
        del best[session]
    return best


def _passage_scores(history: History, unique: Sequence[str], stems: Mapping[str, str]) -> list[tuple[int, float]]:
    """(session, score) of conversation pieces; FTS5's own score serves as long as it has counted everything."""
    if not history.live:
        return [(session, -score) for session, score in search.match_passages(history, any_of(unique), limit=PASSAGES)]
    total, tokens = search.sizes(history, "passage")
    documents = [search.documents(history, "passage", stems[word]) for word in unique]
    match = WordMatch(any_of(unique), tuple(range(len(unique))), ())
    rows = search.passage_evidence(history, match, limit=PASSAGES)
    average = tokens / total if tokens else 1.0
    return [(session, rank.passage_score(told, documents, total, average)) for session, told in rows]


def _held(
    history: History, query: Query, newest: int, where: Clause, out: Ranked, *, decisive: bool
) -> tuple[dict[int, tuple[int, float]], frozenset[int] | None]:
    """Rows that hold names (with the share they hold), and the rows that hold all exact phrases, if any were asked."""
    held: dict[int, tuple[int, float]] = {}
    names = query.names[: MOST_NAMES if decisive else MOST_NAMES_ASIDE]
    for name in names:
        for id_, session, _ in _literally(history, name, newest, where, out):
            held[id_] = (session, held.get(id_, (0, 0.0))[1] + 1 / len(names))
    only: frozenset[int] | None = None
    for phrase in query.phrases:
        rows = _literally(history, phrase, newest, where, out)
        held |= {id_: (session, held.get(id_, (0, 0.0))[1]) for id_, session, _ in rows}
        ids = frozenset(id_ for id_, _, _ in rows)
        only = ids if only is None else only & ids
    if only is not None and not only:
        out.warnings.append(NO_PHRASE)
        only = None
    return held, only


def _literally(history: History, text: str, newest: int, where: Clause, out: Ranked) -> list[tuple[int, int, str]]:
    if not search.tokens(history, text, stemmed=False):
        return []
    match = in_columns(("said", "result"), quoted(spaced(text)))
    found = search.holding(history, match, text, below=newest + 1, limit=HELD, where=where)
    out.truncated = out.truncated or len(found) >= HELD
    return found
