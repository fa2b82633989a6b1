-- Why: memories and pins are folded from mutation records of logs and of our own ledger. Kept as folded rows with an
-- index over their words, choosing among ten thousand of them reads only rows that share a word with the request.
-- `mutations` holds the payload of every record, `mutation_ties` what it has in common with others, so that a new record
-- folds again only what it is tied to. Everything here is made from canonical records and can be thrown away.
CREATE TABLE mutations (
  id       INTEGER PRIMARY KEY,
  source   INTEGER NOT NULL,  -- key of the session whose log holds it, 0 for the ledger
  seq      INTEGER NOT NULL,
  hash     BLOB NOT NULL,
  type     TEXT NOT NULL,
  session  TEXT NOT NULL,
  entry    TEXT NOT NULL,
  time     INTEGER,
  parent   TEXT,
  project  TEXT,
  payload  TEXT NOT NULL,
  refusal  TEXT
) STRICT;
CREATE UNIQUE INDEX mutations_by_place ON mutations (source, seq, hash);
CREATE INDEX mutations_by_session ON mutations (session, project);
CREATE INDEX mutations_refused ON mutations (session) WHERE refusal IS NOT NULL;

CREATE TABLE mutation_ties (
  tie       TEXT NOT NULL,
  mutation  INTEGER NOT NULL REFERENCES mutations (id) ON DELETE CASCADE,
  PRIMARY KEY (tie, mutation)
) STRICT, WITHOUT ROWID;
CREATE INDEX mutation_ties_by_mutation ON mutation_ties (mutation);

CREATE TABLE kept (
  id        INTEGER PRIMARY KEY,
  kind      TEXT NOT NULL,
  name      TEXT NOT NULL,
  scope     TEXT NOT NULL,
  owner     TEXT NOT NULL,  -- the project of a project's item, the session of any other
  session   TEXT NOT NULL,
  logged    INTEGER NOT NULL,
  status    TEXT NOT NULL,
  created   INTEGER NOT NULL,
  mutation  INTEGER NOT NULL,
  document  BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX kept_by_name ON kept (kind, name);
CREATE INDEX kept_by_owner ON kept (kind, owner, status, created DESC, name);
CREATE VIRTUAL TABLE kept_words USING fts5 (
  claim, key,
  content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2"
);

-- The logs that hold mutation records, as they were when their records were last looked at, and what a person excluded.
CREATE TABLE memory_sources (
  session  INTEGER PRIMARY KEY,
  id       TEXT NOT NULL,
  path     TEXT NOT NULL,
  project  TEXT,
  missing  INTEGER NOT NULL,
  error    TEXT
) STRICT;
CREATE TABLE memory_exclusions (
  project  TEXT NOT NULL,
  session  TEXT NOT NULL,
  reason   TEXT,
  PRIMARY KEY (project, session)
) STRICT, WITHOUT ROWID;

-- How far the ledger was read: its bytes, the hash of the last of them, and how many mutations it held so far.
CREATE TABLE ledger_reached (
  singleton  INTEGER PRIMARY KEY CHECK (singleton = 1),
  offset     INTEGER NOT NULL,
  tail       BLOB NOT NULL,
  mutations  INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_reached VALUES (1, 0, x'', 0);

-- Comparing what the index holds of mutation records with what was folded must not read the entries themselves.
DROP INDEX entries_by_mutation;
CREATE INDEX entries_by_mutation ON entries (session, seq, copy, hash)
WHERE tool IN ('ds4-context-memory-v1', 'ds4-context-pin-v1');
