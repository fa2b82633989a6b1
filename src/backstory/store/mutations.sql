-- name: marked
SELECT s.id, s.path, s.cwd, s.missing, e.seq, e.entry_id, e.parent_id, e.time, e.tool, e.offset, e.length
FROM entries e JOIN sessions s ON s.key = e.session
WHERE e.tool IN ('ds4-context-memory-v1', 'ds4-context-pin-v1')
  AND e.copy = 0 AND (e.session = :session OR s.cwd = :project)
ORDER BY s.path, e.seq
