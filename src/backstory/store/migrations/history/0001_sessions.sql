-- Why: one row per session file and one per well-formed record, so that listing, filtering, tracing and surface changes
-- never touch text. Text stands alone in `texts` (same integer id): a record whose surface changes is not rewritten with
-- its text, and a scan over metadata does not read overflow pages.
CREATE TABLE roots (
  id      INTEGER PRIMARY KEY,
  source  TEXT NOT NULL,
  path    TEXT NOT NULL,
  UNIQUE (source, path)
) STRICT;

CREATE TABLE sessions (
  key             INTEGER PRIMARY KEY,
  source          TEXT NOT NULL,
  id              TEXT NOT NULL,
  root            INTEGER NOT NULL REFERENCES roots (id),
  path            TEXT NOT NULL UNIQUE,
  cwd             TEXT,
  created         INTEGER,
  updated         INTEGER,
  title           TEXT,
  parent          TEXT,
  origin          TEXT NOT NULL,
  version         TEXT,
  model           TEXT,
  entries         INTEGER NOT NULL,
  malformed       INTEGER NOT NULL,
  missing         INTEGER NOT NULL DEFAULT 0,
  generation      INTEGER NOT NULL,
  extraction      INTEGER NOT NULL,
  facts           TEXT NOT NULL,
  tip             TEXT NOT NULL,
  -- the stamp (size, mtime_ns, inode) stands alone so that an unchanged file is recognised without decoding anything
  size            INTEGER NOT NULL,
  mtime_ns        INTEGER NOT NULL,
  inode           INTEGER NOT NULL,
  checkpoint      BLOB NOT NULL
) STRICT;
CREATE INDEX sessions_by_id ON sessions (id, source);
CREATE INDEX sessions_by_created ON sessions (created);
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;

CREATE TABLE entries (
  id        INTEGER PRIMARY KEY,
  session   INTEGER NOT NULL REFERENCES sessions (key),
  seq       INTEGER NOT NULL,
  surface   TEXT NOT NULL,
  kind      TEXT NOT NULL,
  role      TEXT,
  time      INTEGER,
  visible   INTEGER NOT NULL,
  sidechain INTEGER NOT NULL,
  copy      INTEGER NOT NULL DEFAULT 0,
  chars     INTEGER NOT NULL,
  size      INTEGER NOT NULL,
  entry_id  TEXT,
  parent_id TEXT,
  tool      TEXT,
  call_ids  TEXT,
  paths     TEXT,
  op        TEXT,
  target    TEXT,
  offset    INTEGER NOT NULL,
  length    INTEGER NOT NULL,
  hash      BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX entries_by_seq ON entries (session, seq);
-- finds an entry by its native id, and the copies of an entry
CREATE INDEX entries_by_entry_id ON entries (session, entry_id) WHERE size > 0;

CREATE TABLE texts (
  id    INTEGER PRIMARY KEY,
  text  TEXT NOT NULL
) STRICT;

-- One line per damaged record, so that nothing is lost silently.
CREATE TABLE damage (
  session   INTEGER NOT NULL REFERENCES sessions (key),
  line      INTEGER NOT NULL,
  offset    INTEGER NOT NULL,
  length    INTEGER NOT NULL,
  reason    TEXT NOT NULL,
  oversized INTEGER NOT NULL
) STRICT;
CREATE INDEX damage_by_session ON damage (session);

-- `generation` grows with every committed change; cursors and caches are bound to it. `instance` tells this database
-- from every other one.
CREATE TABLE state (
  singleton  INTEGER PRIMARY KEY CHECK (singleton = 1),
  instance   TEXT NOT NULL,
  generation INTEGER NOT NULL
) STRICT;
INSERT INTO state VALUES (1, lower(hex(randomblob(16))), 0);

-- Files that no source recognised, so that they are not opened again until they change.
CREATE TABLE ignored (
  path      TEXT PRIMARY KEY,
  size      INTEGER NOT NULL,
  mtime_ns  INTEGER NOT NULL,
  inode     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
