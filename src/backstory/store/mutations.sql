-- name: unread
SELECT e.session, s.path, s.id, e.seq, e.entry_id, e.parent_id, e.time, e.tool, e.offset, e.length, e.hash
FROM entries e JOIN sessions s ON s.key = e.session
WHERE e.tool IN ('ds4-context-memory-v1', 'ds4-context-pin-v1') AND e.copy = 0 AND s.missing = 0 AND NOT EXISTS (
  SELECT 1 FROM mutations m WHERE m.source = e.session AND m.seq = e.seq AND m.hash = e.hash
)
ORDER BY s.path, e.seq

-- name: gone
SELECT m.id FROM mutations m WHERE m.source > 0 AND NOT EXISTS (
  SELECT 1 FROM entries e
  WHERE e.tool IN ('ds4-context-memory-v1', 'ds4-context-pin-v1')
    AND e.session = m.source AND e.seq = m.seq AND e.copy = 0 AND e.hash = m.hash
)

-- name: sources
SELECT s.key, s.id, s.path, s.cwd, s.missing FROM sessions s WHERE s.key IN (
  SELECT e.session FROM entries e WHERE e.tool IN ('ds4-context-memory-v1', 'ds4-context-pin-v1')
)

-- name: known_sources
SELECT session, id, path, project, missing, error FROM memory_sources

-- name: put_source
INSERT OR REPLACE INTO memory_sources (session, id, path, project, missing, error) VALUES (?, ?, ?, ?, ?, ?)

-- name: drop_source
DELETE FROM memory_sources WHERE session = ?

-- name: listed
SELECT m.id, m.path, m.missing, m.error, coalesce(s.entries, 0), coalesce(s.malformed, 0), x.project IS NOT NULL, x.reason,
  (SELECT count(*) FROM mutations t WHERE t.source = m.session),
  (SELECT count(*) FROM mutations t WHERE t.source = m.session AND t.payload ->> '$.item.scope' = 'project')
FROM memory_sources m
LEFT JOIN sessions s ON s.key = m.session
LEFT JOIN memory_exclusions x ON x.project = m.project AND x.session = m.id
WHERE m.project = :project
ORDER BY m.path DESC

-- name: excluded
SELECT project, session, reason FROM memory_exclusions ORDER BY project, session

-- name: exclude
INSERT OR REPLACE INTO memory_exclusions (project, session, reason) VALUES (?, ?, ?)

-- name: include
DELETE FROM memory_exclusions WHERE project = ? AND session = ?

-- name: insert
INSERT INTO mutations (source, seq, hash, type, session, entry, time, parent, project, payload, refusal)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: tie
INSERT OR IGNORE INTO mutation_ties (tie, mutation) VALUES (?, ?)

-- name: ties_of
SELECT DISTINCT tie FROM mutation_ties WHERE mutation IN (SELECT value FROM json_each(?))

-- name: ids_of_source
SELECT id FROM mutations WHERE source = ?

-- name: ids_of_session
SELECT id FROM mutations WHERE session = ? AND project = ?

-- name: move
UPDATE mutations SET project = ? WHERE source = ?

-- name: delete
DELETE FROM mutations WHERE id IN (SELECT value FROM json_each(?))

-- name: tied
WITH RECURSIVE reach(tie) AS (
  SELECT value FROM json_each(:ties)
  UNION
  SELECT other.tie FROM reach
  JOIN mutation_ties one ON one.tie = reach.tie
  JOIN mutation_ties other ON other.mutation = one.mutation
)
SELECT m.id, m.type, m.session, m.entry, m.seq, m.payload, m.time, m.parent, m.project, s.path,
  x.project IS NULL AND (m.source = 0 OR (s.missing = 0 AND s.error IS NULL))
FROM mutations m
LEFT JOIN memory_sources s ON s.session = m.source
LEFT JOIN memory_exclusions x ON x.project = m.project AND x.session = m.session
WHERE m.id IN (SELECT t.mutation FROM reach CROSS JOIN mutation_ties t ON t.tie = reach.tie)

-- name: reach
WITH RECURSIVE reach(tie) AS (
  SELECT value FROM json_each(:ties)
  UNION
  SELECT other.tie FROM reach
  JOIN mutation_ties one ON one.tie = reach.tie
  JOIN mutation_ties other ON other.mutation = one.mutation
)
SELECT tie FROM reach

-- name: refuse
UPDATE mutations SET refusal = ? WHERE id = ?

-- name: refused
SELECT session || ':' || entry, refusal FROM mutations
WHERE refusal IS NOT NULL AND (session = :session OR project = :project) ORDER BY source, seq

-- name: reached
SELECT offset, tail, mutations FROM ledger_reached

-- name: set_reached
UPDATE ledger_reached SET offset = ?, tail = ?, mutations = ?
