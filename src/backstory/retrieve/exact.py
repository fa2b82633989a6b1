"""Finds any literal piece of text, inside words too, narrowed by the tokens that it holds whole.

First come the entries in which the piece starts and ends with words, then those in which it cuts a word; both parts are
newest first. They are found by two rare neighbours among the words that stand whole in it, else by phrases of all its
words, or by the vocabulary. Each is verified against the stored text. The store is scanned for a piece without a usable
token (such as `->`), or inside too many words.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise

from backstory.store import pieces, statistics, vocabulary
from backstory.store.history import History
from backstory.store.where import Clause
from backstory.text.accents import LIGATURES, equivalent, ligated, spelled_out
from backstory.text.fold import spaced
from backstory.text.match import LONGEST_PHRASE, any_of, in_columns, phrase, quoted

COLUMNS = ("said", "result")
MOST_TERMS = 400
NARROW = 500
# So many texts are read rather than that common words are gone through; and looked for only with a word this rare.
MOST_READ = 300
RARE = 20_000
SHORTEST_START = 4
NEIGHBOURS = 3
# What letters cast together may hold of a piece: two of them inside, the first at its end, another at its start.
_CAST = re.compile(r"f[fil]|f\Z|\A[fil]")


def exact(history: History, text: str, where: Clause, *, offset: int, limit: int) -> list[tuple[int, int]]:
    """(id, session) of entries `offset` to `offset + limit` that hold `text`, or hold it with its accents apart.

    Which of these it is nobody sees; what is written as it was typed comes first. Nor does anybody see whether letters
    are cast together: that is looked for last, and inside words only where nothing else holds the piece.
    """
    return list(islice(_once(_alike(history, text, where)), offset, offset + limit))


def _alike(history: History, text: str, where: Clause) -> Iterator[tuple[int, int]]:
    """Entries that hold a piece in any form that reads the same, some of them again."""
    forms = dict.fromkeys(form for one in (text, spelled_out(text)) for form in equivalent(one))
    plain = (_found(history, form, where) for form in forms)
    printed = (_standing(history, form, where) for form in ligated(spelled_out(text)))
    found = chain.from_iterable(chain(plain, printed))
    first = next(found, None)
    yield from chain((first,), found) if first else _cast_together(history, text, where)


def _once(rows: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    seen: set[int] = set()
    for row in rows:
        if row[0] not in seen:
            seen.add(row[0])
            yield row


def _found(history: History, text: str, where: Clause) -> Iterator[tuple[int, int]]:
    tokens = vocabulary.tokens(history, spaced(text), stemmed=False)
    if not tokens:
        yield from pieces.scanned_rows(history, text, where)
        return
    piece = _Piece(history, text)
    pair = _rarest(history, tokens[piece.left : len(tokens) - piece.right])
    few = pieces.few_ids(history, pair, MOST_READ) if pair else None
    if few is not None:
        yield from _parted(history, few, piece, where)
        return
    match = in_columns(COLUMNS, phrase(tokens))
    yield from pieces.matching_rows(history, match, piece.stands, where, loose=pair)
    yield from _inside_words(history, piece, tokens, where, pair)


def _standing(history: History, text: str, where: Clause) -> Iterator[tuple[int, int]]:
    """Entries that hold a piece which cuts no word."""
    if tokens := vocabulary.tokens(history, spaced(text), stemmed=False):
        yield from pieces.matching_rows(history, in_columns(COLUMNS, phrase(tokens)), _Piece(history, text).held, where)


def _cast_together(history: History, text: str, where: Clause) -> Iterator[tuple[int, int]]:
    """Entries that hold a piece inside words, some of them with letters cast together, of which it may hold a part."""
    plain = spelled_out(text)
    tokens = vocabulary.tokens(history, spaced(plain), stemmed=False)
    if not (tokens and _CAST.search(plain)):
        return
    words = vocabulary.with_signs(history, LIGATURES)
    if match := any_of([word for word in words if any(token in spelled_out(word) for token in tokens)]):
        forms = equivalent(plain)

        def held(body: bytes) -> bool:
            text = spelled_out(body.decode("utf-8", "replace"))
            return any(form in text for form in forms)

        yield from pieces.matching_rows(history, in_columns(COLUMNS, match), held, where)


class _Piece:
    """A piece of text, and whether its `left` and `right` ends may lie inside words of the index.

    The tokenizer knows no sign that is younger than it, many emoji among them, and takes each for a letter.
    """

    def __init__(self, history: History, text: str) -> None:
        self._history = history
        self._known: dict[str, bool] = {}
        self.text = text
        self.bytes = text.encode("utf-8", "replace")
        self.left, self.right = self._letter(text[0]), self._letter(text[-1])

    def held(self, body: bytes) -> bool:
        """Whether a text holds it."""
        return self.bytes in body

    def stands(self, body: bytes) -> bool:
        """Whether it stands anywhere in a text without cutting a word."""
        if not self.held(body):
            return False
        text, body_ = self.text, body.decode("utf-8", "replace")
        at = body_.find(text)
        while at >= 0:
            before, after = body_[max(at - 1, 0) : at], body_[at + len(text) : at + len(text) + 1]
            if not ((self.left and self._letter(before)) or (self.right and self._letter(after))):
                return True
            at = body_.find(text, at + 1)
        return False

    def _letter(self, sign: str) -> bool:
        if sign.isalnum() or sign.isascii():
            return sign.isalnum()
        if sign not in self._known:
            self._known[sign] = len(vocabulary.tokens(self._history, f"a{spaced(sign)}a", stemmed=False)) == 1
        return self._known[sign]


def _rarest(history: History, whole: list[str]) -> str:
    """The rarest two neighbours among the words that stand whole in a piece, unless both are very common.

    Going through the rows of all its words, common ones included, takes longer than reading some texts.
    """
    if not whole:
        return ""
    docs = _docs(history, whole)
    pairs: list[tuple[str, ...]] = [*pairwise(whole)] or [(whole[0],)]
    rarest = min(pairs, key=lambda pair: (sum(docs[word] for word in pair), pair))
    return "" if min(docs[word] for word in rarest) > RARE else in_columns(COLUMNS, quoted(" ".join(rarest)))


def _parted(history: History, ids: list[int], piece: _Piece, where: Clause) -> list[tuple[int, int]]:
    """Those of some rows that hold a piece, first those in which it starts and ends with words."""
    cut = {id_: not piece.stands(body) for id_, body in pieces.texts(history, ids) if piece.held(body)}
    return sorted(pieces.placed(history, list(cut), where), key=lambda row: cut[row[0]])


def _inside_words(
    history: History, piece: _Piece, tokens: list[str], where: Clause, pair: str
) -> Iterator[tuple[int, int]]:
    """Entries in which a piece begins or ends inside a word, with some of those in which it does not."""
    if not (piece.left or piece.right):
        return
    match = _around(history, tokens, tokens[piece.left : len(tokens) - piece.right], open_right=piece.right)
    if not match:
        # The vocabulary takes long to go through, and the latest sessions mostly hold enough.
        yield from pieces.scanned_rows(history, piece.text, where, latest=True)
        terms = vocabulary.holding(history, tokens[0], MOST_TERMS + 1)
        if len(terms) > MOST_TERMS:
            yield from pieces.scanned_rows(history, piece.text, where)
            return
        match = any_of(terms)
    if match:
        # FTS5 gathers the words with a beginning before it finds the first row.
        loose = "" if match.endswith("*") else pair
        yield from pieces.matching_rows(history, in_columns(COLUMNS, match), piece.held, where, loose=loose)


def _around(history: History, tokens: list[str], whole: list[str], *, open_right: bool) -> str:
    """A phrase of the words that stand whole in a piece; with the beginning of its last word, if needed to narrow.

    Gathering all words with a beginning takes long for a short one, so a rare whole word does without.
    """
    known = phrase(whole) if whole else ""
    if not open_right or len(tokens) == 1 or len(tokens) > LONGEST_PHRASE:
        return known
    last = tokens[-1]
    if whole and (len(last) < SHORTEST_START or min(_docs(history, whole).values()) < NARROW):
        return known
    return quoted(" ".join([*whole[-NEIGHBOURS:], last])) + " *"


def _docs(history: History, tokens: list[str]) -> dict[str, int]:
    return statistics.frequencies(history, "literal", list(dict.fromkeys(tokens)), NARROW)
