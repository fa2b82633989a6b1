-- name: hits
SELECT e.id, s.source, s.id, s.path, s.title, s.cwd, s.missing, e.entry_id, e.seq, e.role, e.kind, e.time, e.surface,
       e.tool, CASE WHEN e.size > :longest THEN substr(t.text, 1, :longest) ELSE t.text END, s.key, e.size
FROM entries e JOIN sessions s ON s.key = e.session LEFT JOIN texts t ON t.id = e.id
WHERE e.id IN (SELECT value FROM json_each(:ids))

-- name: entry_places
SELECT id, session, coalesce(time, -1), seq FROM entries WHERE id IN (SELECT value FROM json_each(:ids))

-- name: session_places
SELECT key, coalesce(updated, -1), source, id, path FROM sessions WHERE key IN (SELECT value FROM json_each(:keys))
