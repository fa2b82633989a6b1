-- name: session_columns
s.key, s.generation, s.source, s.id, s.created, s.updated, s.cwd, s.parent, s.origin, s.version, s.title, s.entries,
json_extract(s.facts, '$.seed_length'), json_extract(s.facts, '$.delegation_depth'),
json_extract(s.facts, '$.agent_preset'), s.missing, s.path

-- name: event_columns
s.id, s.source, e.seq, e.kind, e.role, e.time, e.surface, e.tool, e.entry_id

-- name: sessions
SELECT {session}
FROM (
  SELECT s.key FROM sessions s WHERE 1 {where} {hidden} ORDER BY s.created DESC, s.id, s.source, s.path, s.key LIMIT :most
) p CROSS JOIN sessions s ON s.key = p.key

-- name: by_keys
SELECT {session} FROM sessions s WHERE s.key IN (SELECT value FROM json_each(:keys)) {hidden}

-- name: named
SELECT {session} FROM sessions s
WHERE s.id >= :name AND s.id < :after AND (:source IS NULL OR s.source = :source) {hidden}

-- name: at
SELECT {session} FROM sessions s WHERE s.path = :path AND (:source IS NULL OR s.source = :source) {hidden}

-- name: events
SELECT {event}, coalesce(t.text, '')
FROM entries e CROSS JOIN sessions s ON s.key = e.session LEFT JOIN texts t ON t.id = e.id
WHERE e.session = :session AND e.seq >= :low AND (NOT :documents OR e.size > 0) {where}
ORDER BY e.seq LIMIT :limit OFFSET :offset

-- name: records
SELECT {event} FROM entries e CROSS JOIN sessions s ON s.key = e.session
WHERE e.session = :session {where} ORDER BY e.seq LIMIT :limit OFFSET :offset

-- name: around
SELECT {event}, coalesce(t.text, '')
FROM (
  SELECT id FROM (SELECT id FROM entries WHERE session = :session AND seq < :seq ORDER BY seq DESC LIMIT :before)
  UNION ALL
  SELECT id FROM (SELECT id FROM entries WHERE session = :session AND seq >= :seq ORDER BY seq LIMIT :after)
) w CROSS JOIN entries e ON e.id = w.id CROSS JOIN sessions s ON s.key = e.session LEFT JOIN texts t ON t.id = e.id
ORDER BY e.seq

-- name: by_ids
SELECT e.id, s.path, {event}, coalesce(t.text, '')
FROM entries e CROSS JOIN sessions s ON s.key = e.session LEFT JOIN texts t ON t.id = e.id
WHERE e.id IN (SELECT value FROM json_each(:ids))

-- name: shape
SELECT json_extract(facts, '$.shape'), json_extract(facts, '$.rules') FROM sessions WHERE key = ?

-- name: sources
SELECT seq, sources FROM entries WHERE session = ? AND sources IS NOT NULL ORDER BY seq

-- name: title
SELECT e.seq, e.time, t.text FROM entries e JOIN texts t ON t.id = e.id
WHERE e.session = ? AND e.kind = 'title' ORDER BY e.seq DESC LIMIT 1

-- name: families
SELECT coalesce(s.created, -1), s.id, s.source, s.path, s.key, s.parent FROM sessions s WHERE 1 {hidden}

-- name: ties
SELECT e.id, e.size, coalesce(e.time, -1), s.id, e.seq
FROM entries e CROSS JOIN sessions s ON s.key = e.session WHERE e.id IN (SELECT value FROM json_each(:ids))
