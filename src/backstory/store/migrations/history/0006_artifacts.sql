-- Why: which large tool results stand in plans as references, and where their bytes come from. The bytes lie in files
-- named by their hash; a row only says which entry and call they answer.
CREATE TABLE artifacts (
  id       TEXT PRIMARY KEY,
  session  INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  seq      INTEGER NOT NULL,
  call     TEXT NOT NULL,
  tool     TEXT,
  digest   TEXT NOT NULL,
  size     INTEGER NOT NULL,
  tokens   INTEGER NOT NULL,
  failed   INTEGER NOT NULL,
  created  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX artifacts_by_session ON artifacts (session);
