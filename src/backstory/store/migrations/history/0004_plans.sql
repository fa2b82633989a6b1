-- Why: planned calls can be shown, compared and planned again later. The document holds no text, only numbers, ids and
-- reasons. What a provider counts arrives after the answer and goes into columns of its own, so that no document is
-- rewritten. Samples stand alone: pruning a manifest must not forget what calibration has learned from it.
CREATE TABLE manifests (
  number       INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  session      TEXT NOT NULL,
  created      INTEGER NOT NULL,
  mode         TEXT NOT NULL,
  model        TEXT NOT NULL,
  estimated    INTEGER NOT NULL,
  size         INTEGER NOT NULL,
  document     BLOB NOT NULL,
  input        INTEGER,
  cache_read   INTEGER,
  cache_write  INTEGER,
  output       INTEGER
) STRICT;
CREATE INDEX manifests_by_session ON manifests (session, number);

CREATE TABLE samples (
  number       INTEGER PRIMARY KEY,
  profile      TEXT NOT NULL,
  manifest     TEXT NOT NULL UNIQUE,
  estimated    INTEGER NOT NULL,
  input        INTEGER NOT NULL,
  cache_read   INTEGER NOT NULL,
  cache_write  INTEGER NOT NULL,
  time         INTEGER NOT NULL
) STRICT;
CREATE INDEX samples_by_profile ON samples (profile, number);
