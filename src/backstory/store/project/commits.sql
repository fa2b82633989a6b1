-- name: clear
DELETE FROM commit_files;
DELETE FROM commits;
INSERT INTO commit_fts (commit_fts) VALUES ('delete-all')

-- name: move
UPDATE OR REPLACE commit_files SET path = ?2 WHERE path = ?1

-- name: newest
SELECT coalesce(max(id), 0) FROM commits

-- name: put
INSERT INTO commits (id, hash, files) VALUES (?, ?, ?)

-- name: put_message
INSERT INTO commit_fts (rowid, message) VALUES (?, ?)

-- name: put_path
INSERT OR IGNORE INTO commit_files (commit_id, path) VALUES (?, ?)

-- name: prune
DELETE FROM commit_fts WHERE rowid IN (SELECT DISTINCT commit_id FROM commit_files WHERE commit_id <= :last);
DELETE FROM commit_files WHERE commit_id <= :last;
DELETE FROM commits WHERE id <= :last

-- name: touched
SELECT commit_id, path FROM commit_files ORDER BY commit_id

-- name: put_recency
INSERT INTO recency (path, score) VALUES (?, ?)
