"""How common words are, how large each index is, and the ids that its rows lie in.

No index is gone through to its end for that: how common a common word is, is drawn from a part.
"""

from collections.abc import Sequence

import msgspec

from backstory.store.history import History
from backstory.store.statements import array, live, load
from backstory.text.match import quoted

SQL = load("statistics")


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
