-- What fills tables row by row is short, as the driver reads the whole statement for each: `entries` takes the values of
-- all its columns in their order.

-- name: insert_entry
INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: insert_text
INSERT INTO texts VALUES (?, CAST(? AS TEXT))

-- name: insert_literal
INSERT INTO literal (rowid, said, result, parts)
VALUES (?, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT))

-- name: insert_words
INSERT INTO words (rowid, said) VALUES (?, CAST(? AS TEXT))

-- name: nodes
SELECT seq, kind, visible, entry_id, parent_id, sidechain, op, target, call_ids, surface
FROM entries WHERE session = ? ORDER BY seq

-- name: hashes
SELECT seq, id, hash, offset, kind, role, time, visible, sidechain, chars, entry_id, parent_id, tool, call_ids, op, target,
       sources
FROM entries WHERE session = ? ORDER BY seq

-- name: ids_from
SELECT id, size FROM entries WHERE session = ? AND seq >= ? ORDER BY seq

-- name: move
UPDATE entries SET offset = ? WHERE id = ?

-- name: set_surface
UPDATE entries SET surface = ? WHERE session = ? AND seq = ?

-- name: said_from
SELECT e.seq, t.text
FROM entries e JOIN texts t ON t.id = e.id
WHERE e.session = ? AND e.seq >= ? AND e.kind IN ('prompt', 'message', 'summary')
ORDER BY e.seq

-- name: clear_passage_texts
DELETE FROM passages WHERE rowid IN (SELECT id FROM passage_spans WHERE session = ?)

-- name: clear_passage_spans
DELETE FROM passage_spans WHERE session = ?

-- name: clear_damage
DELETE FROM damage WHERE session = ?

-- name: compact_literal
INSERT INTO literal (literal) VALUES ('optimize')

-- name: compact_words
INSERT INTO words (words) VALUES ('optimize')

-- name: compact_passages
INSERT INTO passages (passages) VALUES ('optimize')

-- name: merge_words
INSERT INTO words (words, rank) VALUES ('merge', ?)

-- name: merge_passages
INSERT INTO passages (passages, rank) VALUES ('merge', ?)
