-- name: create
CREATE TEMP TABLE live_rows (
  key INTEGER PRIMARY KEY, source TEXT, id TEXT, cwd TEXT, created INTEGER, updated INTEGER, title TEXT, parent TEXT,
  origin TEXT, version TEXT, model TEXT, entries INTEGER, seed_length INTEGER, delegation_depth INTEGER,
  agent_preset TEXT, shape TEXT, rules TEXT, generation INTEGER
);
CREATE INDEX temp.live_rows_by_id ON live_rows (id, source);
CREATE TEMP TABLE live_entries AS SELECT * FROM main.entries LIMIT 0;
CREATE UNIQUE INDEX temp.live_entries_by_id ON live_entries (id);
CREATE UNIQUE INDEX temp.live_entries_by_seq ON live_entries (session, seq);
CREATE INDEX temp.entries_by_size ON live_entries (id, size) WHERE size > 0;
CREATE TEMP TABLE live_texts (id INTEGER PRIMARY KEY, text TEXT);
CREATE VIRTUAL TABLE temp.live_literal USING fts5 (
  said, result, parts,
  content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE temp.live_words USING fts5 (
  said,
  content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE temp.live_passages USING fts5 (
  text,
  content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2"
);
CREATE TEMP TABLE live_passage_spans (
  id INTEGER PRIMARY KEY, session INTEGER, first INTEGER, last INTEGER, size INTEGER
);
CREATE INDEX temp.live_passage_spans_by_session ON live_passage_spans (session, first);
CREATE VIRTUAL TABLE temp.live_literal_terms USING fts5vocab (temp, live_literal, row);
CREATE VIRTUAL TABLE temp.live_word_terms USING fts5vocab (temp, live_words, row);
CREATE VIRTUAL TABLE temp.live_passage_terms USING fts5vocab (temp, live_passages, row);
CREATE VIRTUAL TABLE temp.live_literal_places USING fts5vocab (temp, live_literal, instance);
CREATE TEMP TABLE unmounted (source TEXT, path TEXT);

-- Sessions of places that this engine does not look at.
CREATE TEMP VIEW away AS
SELECT s.key FROM unmounted u
CROSS JOIN main.roots r ON r.source = u.source AND r.path = u.path CROSS JOIN main.sessions s ON s.root = r.id;

-- Stored sessions under a live one of the same source and id.
CREATE TEMP VIEW shadowed AS
SELECT s.key AS stored, l.key AS live, s.missing
FROM live_rows l CROSS JOIN main.sessions s ON s.id = l.id AND s.source = l.source
WHERE s.key NOT IN (SELECT key FROM away);

-- Live sessions that contradict their stored log about a fact that never changes; what is not stated contradicts nothing.
CREATE TEMP VIEW conflicts AS
SELECT d.live, d.stored, l.source, l.id
FROM shadowed d JOIN live_rows l ON l.key = d.live JOIN main.sessions s ON s.key = d.stored
WHERE d.missing = 0 AND (
  coalesce(l.created, s.created) IS NOT s.created OR coalesce(l.cwd, s.cwd) IS NOT s.cwd
  OR coalesce(l.parent, s.parent) IS NOT s.parent OR coalesce(l.version, s.version) IS NOT s.version
  OR coalesce(l.seed_length, json_extract(s.facts, '$.seed_length')) IS NOT json_extract(s.facts, '$.seed_length')
  OR l.delegation_depth <> coalesce(json_extract(s.facts, '$.delegation_depth'), 0)
);

-- What no answer may show.
CREATE TEMP VIEW hidden (key) AS
SELECT key FROM away UNION ALL SELECT stored FROM shadowed UNION ALL SELECT live FROM conflicts;

-- `missing` is 0 with a stored base, 1 when the base's file is gone, 2 without one. What a host left out, the base tells.
CREATE TEMP VIEW live_sessions AS
SELECT l.key, l.source, l.id, coalesce(l.cwd, s.cwd) AS cwd, coalesce(l.created, s.created) AS created,
       coalesce(l.updated, s.updated) AS updated, coalesce(l.title, s.title) AS title,
       coalesce(l.parent, s.parent) AS parent, iif(l.parent IS NULL, coalesce(s.origin, l.origin), l.origin) AS origin,
       coalesce(l.version, s.version) AS version, coalesce(l.model, s.model) AS model, l.entries, l.generation,
       '' AS path, 0 AS malformed, 0 AS root, coalesce(s.missing, 2) AS missing,
       json_object('seed_length', coalesce(l.seed_length, json_extract(s.facts, '$.seed_length')),
                   'delegation_depth', l.delegation_depth,
                   'agent_preset', coalesce(l.agent_preset, json_extract(s.facts, '$.agent_preset')),
                   'shape', l.shape, 'rules', l.rules) AS facts
FROM live_rows l LEFT JOIN main.sessions s ON s.key = (
  SELECT d.stored FROM shadowed d WHERE d.live = l.key ORDER BY d.missing, d.stored LIMIT 1
);

-- name: put_session
INSERT OR REPLACE INTO live_rows (
  key, source, id, cwd, created, updated, title, parent, origin, version, model, entries, seed_length, delegation_depth,
  agent_preset, shape, rules, generation
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: ids
SELECT id FROM live_entries WHERE session = ?

-- name: spans
SELECT id FROM live_passage_spans WHERE session = ?

-- name: conflict
SELECT source, id FROM conflicts ORDER BY source, id
