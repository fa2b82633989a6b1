-- name: counts
SELECT
  count(*) FILTER (WHERE status = 'current'),
  count(*) FILTER (WHERE status = 'stale'),
  count(*) FILTER (WHERE status = 'excluded'),
  count(*) FILTER (WHERE status = 'current' AND modified)
FROM files

-- name: sizes
SELECT (SELECT coalesce(sum(number), 0) FROM snippets), (SELECT count(*) FROM symbols)

-- name: exclusions
SELECT reason, count(*) FROM files WHERE status = 'excluded' GROUP BY reason ORDER BY reason

-- name: files
SELECT path, language, size, hash, tracked, modified, status, reason FROM files
WHERE status <> 'excluded' AND path >= :prefix AND path < :prefix || char(0x10ffff)
ORDER BY path LIMIT :limit
