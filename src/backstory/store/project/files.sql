-- name: stats
SELECT path, size, mtime, ctime, status FROM files

-- name: known
SELECT path, id, size, mtime, ctime, status, blob, tracked, modified, reason FROM files

-- name: known_one
SELECT path, id, size, mtime, ctime, status, blob, tracked, modified, reason FROM files WHERE path = ?

-- name: put
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

-- name: put_words
INSERT INTO file_fts (rowid, body) VALUES (:id, :body);
INSERT INTO path_fts (rowid, path) VALUES (:id, :path)

-- name: empty
DELETE FROM snippets WHERE file_id = :id;
DELETE FROM symbols WHERE file_id = :id;
DELETE FROM file_fts WHERE rowid = :id;
DELETE FROM path_fts WHERE rowid = :id

-- name: optimize
INSERT INTO file_fts (file_fts) VALUES ('optimize');
INSERT INTO path_fts (path_fts) VALUES ('optimize')

-- name: merge
INSERT INTO file_fts (file_fts, rank) VALUES ('merge', :pages);
INSERT INTO path_fts (path_fts, rank) VALUES ('merge', :pages)
