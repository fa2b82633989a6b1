-- name: insert
INSERT OR REPLACE INTO artifacts (id, session, seq, call, tool, digest, size, tokens, failed, created)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: get
SELECT a.id, s.source, s.id, a.seq, a.call, a.tool, a.digest, a.size, a.tokens, a.failed, a.created
FROM artifacts a JOIN sessions s ON s.key = a.session WHERE a.id = ?

-- name: begun
SELECT id FROM artifacts WHERE id >= :name AND id < :after ORDER BY id LIMIT :most

-- name: all
SELECT a.id, s.source, s.id, a.seq, a.call, a.tool, a.digest, a.size, a.tokens, a.failed, a.created
FROM artifacts a JOIN sessions s ON s.key = a.session ORDER BY a.created, a.id

-- name: known
SELECT id, digest FROM artifacts WHERE session = ?

-- name: origins
SELECT s.key, s.source || ':' || s.id, e.seq, e.entry_id, e.tool, e.call_ids, e.hash
FROM entries e JOIN sessions s ON s.key = e.session
WHERE e.chars >= :least AND s.missing = 0
  AND (e.call_ids IS NOT NULL AND e.kind NOT IN ('tool-call', 'error') OR e.kind = 'command')
ORDER BY s.key, e.seq

