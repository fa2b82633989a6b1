-- name: state
SELECT git_root, branch, head, dirty, changed, indexed_at, history_head, revision, listed, rules FROM state WHERE id = 1

-- name: put_state
INSERT INTO state (id, root, git_root, branch, head, dirty, changed, history_head, indexed_at, revision)
VALUES (1, :root, :git_root, :branch, :head, :dirty, :changed, :history_head, :indexed_at, 1)
ON CONFLICT (id) DO UPDATE SET
  git_root = excluded.git_root, branch = excluded.branch, head = excluded.head, dirty = excluded.dirty,
  changed = excluded.changed, history_head = excluded.history_head, indexed_at = excluded.indexed_at,
  revision = revision + 1

-- name: stats
SELECT path, size, mtime, ctime, status FROM files

-- name: known
SELECT path, id, size, mtime, ctime, status, blob, tracked, modified, reason FROM files

-- name: known_one
SELECT path, id, size, mtime, ctime, status, blob, tracked, modified, reason FROM files WHERE path = ?

-- name: put_file
INSERT INTO files (
  path, name, size, mtime, ctime, hash, blob, language, tracked, modified, status, reason, indexed_at
) VALUES (
  :path, :name, :size, :mtime, :ctime, :hash, :blob, :language, :tracked, :modified, :status, :reason, :indexed_at
)
ON CONFLICT (path) DO UPDATE SET
  size = excluded.size, mtime = excluded.mtime, ctime = excluded.ctime, hash = excluded.hash, blob = excluded.blob,
  language = excluded.language, tracked = excluded.tracked, modified = excluded.modified, status = excluded.status,
  reason = excluded.reason, indexed_at = excluded.indexed_at
RETURNING id

-- name: touch
UPDATE files SET size = :size, mtime = :mtime, ctime = :ctime, tracked = :tracked, modified = :modified WHERE path = :path

-- name: put_snippet
INSERT INTO snippets (file_id, number, ranges) VALUES (?, ?, ?)

-- name: put_symbol
INSERT INTO symbols (file_id, name, qualified, kind, start_line, end_line) VALUES (?, ?, ?, ?, ?, ?)

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

-- name: file_list
SELECT path, language, size, hash, tracked, modified, status, reason FROM files
WHERE status <> 'excluded' AND path >= :prefix AND path < :prefix || char(0x10ffff)
ORDER BY path LIMIT :limit

-- name: lease_get
SELECT owner, fencing, expires_at FROM leases WHERE key = ?

-- name: lease_put
INSERT INTO leases (key, owner, fencing, expires_at) VALUES (:key, :owner, :fencing, :expires_at)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, fencing = excluded.fencing, expires_at = excluded.expires_at
