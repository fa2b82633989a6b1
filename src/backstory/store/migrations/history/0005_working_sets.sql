-- Why: finding the exact values in a long session takes longer than planning with them. The working set of a session is
-- kept as one opaque value with a digest of the entries it covers; whatever does not fit the entries as they are now is
-- made again.
CREATE TABLE working_sets (
  session  INTEGER PRIMARY KEY REFERENCES sessions (key) ON DELETE CASCADE,
  entries  INTEGER NOT NULL,
  digest   TEXT NOT NULL,
  content  BLOB NOT NULL
) STRICT;
