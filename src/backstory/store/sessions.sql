-- name: stamps
SELECT path, source, size, mtime_ns, inode, extraction, missing, root FROM sessions

-- name: ignored
SELECT path, size, mtime_ns, inode, extraction FROM ignored

-- name: ignore
INSERT INTO ignored (path, size, mtime_ns, inode, extraction) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET
  size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode, extraction = excluded.extraction

-- name: by_path
SELECT key, source, facts, tip, checkpoint, extraction, entries, malformed, missing, updated
FROM sessions WHERE path = ?

-- name: insert
INSERT INTO sessions (
  source, id, root, path, origin, entries, malformed, generation, extraction, facts, tip, size, mtime_ns, inode, checkpoint
) VALUES (?, '', ?, ?, 'main', 0, 0, 0, 0, '', '', 0, 0, 0, x'')

-- name: update
UPDATE sessions SET
  id = :id, cwd = :cwd, created = :created, updated = :updated, title = :title, parent = :parent,
  origin = :origin, version = :version, model = :model, entries = :entries, malformed = :malformed, missing = 0,
  generation = generation + 1, extraction = :extraction, facts = :facts, tip = :tip,
  size = :size, mtime_ns = :mtime_ns, inode = :inode, checkpoint = :checkpoint
WHERE key = :key

-- name: namesakes
SELECT key FROM sessions WHERE id = :id AND source = :source
UNION SELECT key FROM sessions WHERE parent = :id AND source = :source

-- name: set_missing
UPDATE sessions SET missing = ?, generation = generation + 1 WHERE path = ? AND missing <> ?

-- name: insert_damage
INSERT INTO damage (session, line, offset, length, reason, oversized) VALUES (?, ?, ?, ?, ?, ?)

-- name: clear_damage
DELETE FROM damage WHERE session = ?

-- name: count_entries
SELECT count(*), max(time) FROM entries WHERE session = ?

-- name: root
SELECT id FROM roots WHERE source = ? AND path = ?

-- name: add_root
INSERT INTO roots (source, path) VALUES (?, ?)

-- name: places
SELECT s.key, s.path, r.source, r.path FROM sessions s JOIN roots r ON r.id = s.root

-- name: move
UPDATE sessions SET root = ? WHERE key = ?

-- name: distrust
UPDATE sessions SET extraction = -1 WHERE key = ?
