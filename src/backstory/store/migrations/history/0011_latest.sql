-- Why: where only the newest of many rows are looked at, they are those of the newest sessions. Walking row ids instead would
-- make an answer depend on the order in which the sessions were indexed.
CREATE INDEX sessions_by_updated ON sessions (updated DESC, source, id, path, entries);
