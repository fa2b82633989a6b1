-- What is known of one project's source. Text is not copied: live files are at hand and are read again before anything of
-- them is shown, so the index keeps line ranges, declarations and postings only.
-- One full-text row per file, not per chunk: choosing forty files among thousands costs a third of choosing chunks, and
-- the positions of a reserved word between chunks tell afterwards which chunk a hit lies in. Row id = files.id.

CREATE TABLE state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  root TEXT NOT NULL,
  git_root TEXT,
  branch TEXT,
  head TEXT,
  dirty INTEGER NOT NULL DEFAULT 0,
  changed TEXT NOT NULL DEFAULT '[]',
  history_head TEXT,
  indexed_at INTEGER,
  revision INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL COLLATE NOCASE,
  size INTEGER NOT NULL,
  mtime INTEGER NOT NULL,
  ctime INTEGER NOT NULL,
  hash TEXT,
  blob TEXT,
  language TEXT,
  tracked INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('current', 'stale', 'excluded')),
  reason TEXT,
  indexed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX files_by_name ON files (name);

-- All chunks of a file in one row, for nothing ever asks for one of them: a JSON array of arrays, each first line, last
-- line, symbol, kind, token estimate, in line order.
CREATE TABLE snippets (
  file_id INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  ranges TEXT NOT NULL
) STRICT;

CREATE TABLE symbols (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  qualified TEXT NOT NULL COLLATE NOCASE,
  kind TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL
) STRICT;
CREATE INDEX symbols_by_name ON symbols (name);
CREATE INDEX symbols_by_file ON symbols (file_id);

CREATE VIRTUAL TABLE file_fts USING fts5(
  body, content='', contentless_delete=1, tokenize='porter unicode61'
);
-- Apart from the bodies, so that a look at paths never walks the postings of bodies.
CREATE VIRTUAL TABLE path_fts USING fts5(
  path, content='', contentless_delete=1, tokenize='porter unicode61'
);

-- The newest ancestors of HEAD with their messages: what earlier work of this kind touched. Ids grow with time.
CREATE TABLE commits (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  files INTEGER NOT NULL
) STRICT;
CREATE TABLE commit_files (
  commit_id INTEGER NOT NULL REFERENCES commits (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  PRIMARY KEY (commit_id, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE recency (
  path TEXT PRIMARY KEY,
  score REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX recency_by_score ON recency (score DESC, path);
CREATE VIRTUAL TABLE commit_fts USING fts5(
  message, content='', contentless_delete=1, tokenize='porter unicode61'
);

CREATE TABLE leases (
  key TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  fencing INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
