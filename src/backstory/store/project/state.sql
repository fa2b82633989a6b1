-- name: get
SELECT git_root, branch, head, dirty, changed, indexed_at, history_head, revision, listed, rules FROM state WHERE id = 1

-- name: put
INSERT INTO state (id, root, git_root, branch, head, dirty, changed, history_head, indexed_at, revision)
VALUES (1, :root, :git_root, :branch, :head, :dirty, :changed, :history_head, :indexed_at, 1)
ON CONFLICT (id) DO UPDATE SET
  git_root = excluded.git_root, branch = excluded.branch, head = excluded.head, dirty = excluded.dirty,
  changed = excluded.changed, history_head = excluded.history_head, indexed_at = excluded.indexed_at,
  revision = revision + 1
