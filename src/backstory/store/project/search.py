"""What ranking asks of a project's database: rows that match, where in them, what history says, and the rows to show.

The places of a match are token positions inside a file; a reserved word between chunks, asked for along with the query,
tells which chunk each lies in. Nothing here decides an order beyond FTS5's own. Neighbours: `store.project.database`
opened the database, `retrieve.project.ranking` asks.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import apsw
import msgspec

from backstory.records.base import Record
from backstory.records.project import Snippet
from backstory.store.project.database import ProjectStore
from backstory.store.project.rows import CUT
from backstory.store.statements import array, load
from backstory.text.match import any_of, quoted
from backstory.text.parts import camel_parts

SQL = load("project/search")
_IDS = msgspec.json.Decoder(list[int])
_SNIPPETS = msgspec.json.Decoder(list[Snippet])
# Up to so many row ids are sought one by one.
FEW_ROWS = 4
KEPT_PATHS = 20_000
# Words that so many files hold come up in request after request, and each count walks all that FTS5 knows of them.
COMMON = 400
_SPLITTER: tuple[str, list[str]] = ("unicode61", [])
_STEMMER = ("porter", ["unicode61"])


class Places(Record, frozen=True):
    """Token positions in one file: `cuts` end its chunks, `found` are those of each phrase that was asked for."""

    cuts: list[int]
    found: list[list[int]]


class FileFact(Record, frozen=True):
    """What ranking and showing need of a current file."""

    id: int
    path: str
    hash: str
    modified: bool
    tracked: bool
    language: str | None


class Totals(Record, frozen=True):
    """Sizes of the whole index: files, chunks, and past commits."""

    files: int
    chunks: int
    commits: int


class _Collected:
    """What the auxiliary function has seen since it was last cleared, and what else holds for a whole connection."""

    def __init__(self) -> None:
        self.clear()
        self.paths: dict[str, list[str]] = {}
        self.totals = Totals(0, 0, 0)
        self.common: dict[str, dict[str, int]] = {SQL.documents: {}, SQL.path_documents: {}}
        self.version: tuple[int, int] | None = None

    def clear(self) -> None:
        self.places: dict[int, Places] = {}
        self.tokens = 0

    def __call__(self, row: apsw.FTS5ExtensionApi, *_: object) -> int:
        located = [row.phrase_locations(number)[0] for number in range(row.phrase_count)]
        self.places[row.rowid] = Places(located[0], located[1:])
        self.tokens = row.column_total_size(0)
        return 0


def _collector(store: ProjectStore) -> _Collected:
    """The one auxiliary function of a connection; FTS5 would go on calling the first of several."""
    collected = store.collector
    if not isinstance(collected, _Collected):
        collected = store.collector = _Collected()
        store.connection.register_fts5_function("places", collected)
    return collected


class ProjectSearch:
    """Read access of one ranking; keeps a vocabulary view and an auxiliary function on the store's connection.

    Phrases are given as stems. FTS5 stems what it is asked for, and the stem of a stem can be another one (`parse`,
    `pars`, `par`), so it is asked for a word that `asked` has seen with that stem.
    """

    def __init__(self, store: ProjectStore) -> None:
        self.store = store
        connection = store.connection
        self._splitter = connection.fts5_tokenizer(*_SPLITTER)
        self._stemmer = connection.fts5_tokenizer(*_STEMMER)
        self._words: dict[str, str] = {}
        self._stems: dict[str, list[str]] = {}
        self._collected = _collector(store)
        store.rows("CREATE VIRTUAL TABLE IF NOT EXISTS temp.body_words USING fts5vocab(main, file_fts, row)")
        store.rows("CREATE VIRTUAL TABLE IF NOT EXISTS temp.path_words USING fts5vocab(main, path_fts, row)")

    def stems(self, text: str) -> list[str]:
        """The tokens of a text as the index stores them."""
        if (found := self._stems.get(text)) is None:
            found = self._stems[text] = _tokens(self._stemmer, text)
        return found

    def path_stems(self, path: str) -> list[str]:
        """The tokens of a path as the index stores them. The same paths come up again and again."""
        known = self._collected.paths
        if (found := known.get(path)) is None:
            if len(known) >= KEPT_PATHS:
                known.clear()
            found = known[path] = self.stems(f"{path} {camel_parts(path)}")
        return found

    def asked(self, text: str) -> list[str]:
        """The stems of a text of the request, each of which may be looked for from then on."""
        found = self.stems(text)
        for stem, word in zip(found, _tokens(self._splitter, text), strict=True):
            self._words.setdefault(stem, word)
        return found

    def _words_of(self, phrase: str) -> str:
        return " ".join(self._words.get(stem, stem) for stem in phrase.split(" "))

    def _any_of(self, phrases: Sequence[str]) -> str:
        return any_of([self._words_of(phrase) for phrase in phrases])

    def documents(self, stems: Collection[str]) -> Counter[str]:
        """How many files hold each stem in their body."""
        return self._counted(SQL.documents, stems)

    def path_documents(self, stems: Collection[str]) -> Counter[str]:
        """How many files hold each stem in their path."""
        return self._counted(SQL.path_documents, stems)

    def _counted(self, sql: str, stems: Collection[str]) -> Counter[str]:
        """What a statement counts of each stem; common ones are counted once while nothing is written."""
        common = self._current().common[sql]
        found = Counter({stem: common[stem] for stem in stems if stem in common})
        counted = dict(self.store.rows(sql, (array(stem for stem in stems if stem not in found),)))
        common.update((stem, count) for stem, count in counted.items() if count >= COMMON)
        found.update(counted)
        return found

    def candidates(self, phrases: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """The best files for any of the phrases with their bm25, higher is better; stale ones are among them."""
        return [(row, -score) for row, score in self.store.rows(SQL.candidates, (self._any_of(phrases), limit))]

    def with_phrase(self, phrases: Iterable[str], most: int = -1) -> list[list[int]]:
        """Files that hold each of some phrases, in order of their ids; at most `most` of them, or all."""
        asked = array(quoted(self._words_of(phrase)) for phrase in phrases)
        return [_IDS.decode(row) for (row,) in self.store.rows(SQL.with_phrase, {"phrases": asked, "most": most})]

    def in_paths(self, phrases: Sequence[str], limit: int) -> list[int]:
        """Files whose path holds any of the phrases, best first; stale ones are among them."""
        return [row for row, _ in self.store.rows(SQL.in_paths, (self._any_of(phrases), limit))]

    def places(self, phrases: Sequence[str], ids: Iterable[int]) -> tuple[dict[int, Places], int]:
        """Where in each of some files the phrases stand, and the tokens of all bodies, 0 when they stand in none."""
        self._collected.clear()
        rows = list(ids)
        match = f"{quoted(CUT)} AND ({self._any_of(phrases)})"
        # For each row id that SQLite seeks FTS5 opens every posting list again; the unary plus keeps it from seeking.
        sql = SQL.occurrences_in_few if len(rows) <= FEW_ROWS else SQL.occurrences
        self.store.rows(sql, {"match": match, "ids": array(rows)})
        return self._collected.places, self._collected.tokens

    def totals(self) -> Totals:
        """Sizes of the index."""
        return self._current().totals

    def _current(self) -> _Collected:
        """What holds for the connection, counted anew once anything was written."""
        collected = self._collected
        version = self.store.version()
        if collected.version != version:
            collected.totals = Totals(*self.store.rows(SQL.counts)[0])
            for counts in collected.common.values():
                counts.clear()
            collected.version = version
        return collected

    def paths(self, ids: Iterable[int]) -> dict[int, str]:
        """Paths of current files by id."""
        return dict(self.store.rows(SQL.paths, (array(ids),)))

    def first_of(self, ids: Iterable[int], most: int) -> list[int]:
        """The first of some files in order of their paths; row ids tell in which order they came."""
        return [row for (row,) in self.store.rows(SQL.first_of, (array(ids), most))]

    def files(self, ids: Iterable[int]) -> dict[int, FileFact]:
        """Facts of current files by id."""
        return {
            row[0]: FileFact(row[0], row[1], row[2], bool(row[3]), bool(row[4]), row[5])
            for row in self.store.rows(SQL.files, (array(ids),))
        }

    def snippets(self, ids: Iterable[int]) -> dict[int, list[Snippet]]:
        """The chunks of some files in line order."""
        return {row: _SNIPPETS.decode(ranges) for row, ranges in self.store.rows(SQL.snippets, (array(ids),))}

    def history(self, phrases: Sequence[str], limit: int) -> dict[int, float]:
        """Per file the sum of bm25 / sqrt(paths touched) over the best commits that speak of any of the phrases."""
        hits = {row: -score for row, score in self.store.rows(SQL.commit_hits, (self._any_of(phrases), limit))}
        numbers = array(hits)
        sizes: dict[int, int] = dict(self.store.rows(SQL.commit_sizes, (numbers,)))
        found: dict[int, float] = {}
        for commit, file_id in self.store.rows(SQL.commit_paths, (numbers,)):
            found[file_id] = found.get(file_id, 0.0) + hits[commit] / max(1, sizes[commit]) ** 0.5
        return found

    def together(self, ids: Iterable[int], commits: int, most: int) -> list[tuple[int, int, int, int]]:
        """What was touched along with some files by any of so many newest commits of at most `most` paths.

        Each row is (the file, age of the commit in commits, paths it touched, a file it touched); each file stands
        beside itself as well.
        """
        return self.store.rows(SQL.together, {"ids": array(ids), "commits": commits, "most": most})

    def recency(self, ids: Iterable[int]) -> dict[int, float]:
        """Recency of some files."""
        return dict(self.store.rows(SQL.recency, (array(ids),)))

    def recent(self, limit: int) -> dict[int, float]:
        """The files with the highest recency."""
        return dict(self.store.rows(SQL.recent, (limit,)))

    def latest(self, commits: int) -> list[tuple[int, int]]:
        """Files that the newest of so many commits touched, each with the age of one of these in commits."""
        return self.store.rows(SQL.latest, (commits,))


def _tokens(tokenizer: apsw.FTS5Tokenizer, text: str) -> list[str]:
    encoded = text.encode("utf-8", "replace")
    purpose = apsw.FTS5_TOKENIZE_QUERY
    return list(map(str, tokenizer(encoded, purpose, None, include_offsets=False, include_colocated=False)))
