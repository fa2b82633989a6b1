-- name: spans
SELECT id, first, last FROM passage_spans WHERE session = ? AND last >= ? ORDER BY first

-- name: open_span
SELECT id, first, last FROM (
  SELECT id, first, last, size FROM passage_spans WHERE session = ? ORDER BY first DESC LIMIT 1
) WHERE size < ?

-- name: top
SELECT coalesce(max(id), 0) FROM passage_spans

-- name: insert_span
INSERT INTO passage_spans (id, session, first, last, size) VALUES (?, ?, ?, ?, ?)

-- name: insert_text
INSERT INTO passages (rowid, text) VALUES (?, CAST(? AS TEXT))

-- name: delete_span
DELETE FROM passage_spans WHERE id = ?

-- name: delete_text
DELETE FROM passages WHERE rowid = ?
