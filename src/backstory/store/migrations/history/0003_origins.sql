-- Why: an entry may say from which earlier entries it was made (a summary, a replacement); tracing follows that in both
-- directions. `literal_places` lists every single occurrence of a token, so that counting a one-word literal query never
-- leaves SQLite. The index on `root` finds the sessions of a place that is unmounted.
ALTER TABLE entries ADD COLUMN sources TEXT;
CREATE INDEX entries_with_sources ON entries (session) WHERE sources IS NOT NULL;
CREATE INDEX sessions_by_root ON sessions (root);
CREATE VIRTUAL TABLE literal_places USING fts5vocab (literal, instance);
