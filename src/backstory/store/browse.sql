-- name: columns
s.key, s.source, s.id, s.title, s.cwd, s.created, s.updated, s.entries, s.malformed, s.origin, s.parent, s.model,
s.missing, s.path, EXISTS (
  SELECT 1 FROM sessions o WHERE o.source = s.source AND o.id = s.id
  AND (o.missing, -o.entries, o.path) < (s.missing, -s.entries, s.path)
)

-- name: list
SELECT {columns} FROM sessions s
WHERE 1{conditions}
ORDER BY s.updated DESC, s.id, s.path LIMIT :limit OFFSET :offset

-- name: by_keys
SELECT {columns} FROM sessions s WHERE s.key IN (SELECT value FROM json_each(?))

-- name: named
SELECT {columns} FROM sessions s
WHERE s.id >= :name AND s.id < :after AND (:source IS NULL OR s.source = :source)
ORDER BY s.id, s.missing, s.entries DESC, s.path

-- name: at
SELECT {columns} FROM sessions s WHERE s.path = :path AND (:source IS NULL OR s.source = :source)

-- name: entries
SELECT e.seq, e.entry_id, e.kind, e.role, e.time, e.surface, e.tool, coalesce(t.text, '')
FROM entries e LEFT JOIN texts t ON t.id = e.id
WHERE e.session = :session AND e.seq IN (SELECT value FROM json_each(:seqs)) ORDER BY e.seq

-- name: seqs
SELECT seq FROM entries WHERE session = :session AND (:all OR size > 0) ORDER BY seq

-- name: facts
SELECT facts FROM sessions WHERE key = ?

-- name: files
SELECT s.source, s.path, s.size, s.entries, s.malformed, s.missing, r.source, r.path
FROM sessions s JOIN roots r ON r.id = s.root

-- name: delete_session
DELETE FROM sessions WHERE key = ?

-- name: entry_names
SELECT seq, entry_id, size > 0 FROM entries WHERE session = ? ORDER BY seq

-- name: missing
SELECT {columns} FROM sessions s WHERE s.missing = 1 ORDER BY s.source, s.id, s.path

-- name: damage
-- Without a session the few damaged records are looked at in full, which is less than all files.
SELECT s.path, d.line, d.offset, d.reason, d.oversized FROM damage d JOIN sessions s ON s.key = d.session
WHERE :session IS NULL OR d.session = :session ORDER BY s.path, d.line, d.offset LIMIT :most
