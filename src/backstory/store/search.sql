-- name: word_sizes
SELECT block FROM words_data WHERE id = 1

-- name: literal_sizes
SELECT block FROM literal_data WHERE id = 1

-- name: passage_sizes
SELECT block FROM passages_data WHERE id = 1

-- name: calls
SELECT e.id, e.tool, t.text FROM entries e CROSS JOIN texts t ON t.id = e.id
WHERE e.id IN (SELECT value FROM json_each(:ids)) AND e.kind = 'tool-call'
  AND (e.tool = :tool OR instr(t.text, :word) > 0)

-- name: word_docs
SELECT doc FROM word_terms WHERE term = ?

-- name: said
SELECT 1 FROM words WHERE words MATCH ? LIMIT 1

-- name: word_first
SELECT j.key, (
  SELECT json_array(count(*), max(id)) FROM (SELECT rowid AS id FROM words WHERE words MATCH j.value LIMIT :most)
) FROM json_each(:matches) j

-- name: word_last
SELECT j.key, (
  SELECT json_array(count(*), min(id))
  FROM (SELECT rowid AS id FROM words WHERE words MATCH j.value ORDER BY rowid DESC LIMIT :most)
) FROM json_each(:matches) j

-- name: literal_first
SELECT j.key, (
  SELECT json_array(count(*), max(id)) FROM (SELECT rowid AS id FROM literal WHERE literal MATCH j.value LIMIT :most)
) FROM json_each(:matches) j

-- name: passage_first
SELECT j.key, (
  SELECT json_array(count(*), max(id)) FROM (SELECT rowid AS id FROM passages WHERE passages MATCH j.value LIMIT :most)
) FROM json_each(:matches) j

-- name: words
SELECT f.rowid, e.session, evidence(words, :phrases, :pairs), e.kind = 'prompt', e.seq, e.time
FROM words f CROSS JOIN entries e ON e.id = f.rowid
WHERE f.words MATCH :match AND f.rowid > :floor AND e.copy = 0 {where}
ORDER BY f.rank LIMIT :limit

-- name: newest_words
SELECT f.rowid, e.session, evidence(words, :phrases, :pairs), e.kind = 'prompt', e.seq, e.time
FROM words f CROSS JOIN entries e ON e.id = f.rowid
WHERE f.words MATCH :match AND f.rowid > :floor AND e.copy = 0 {where}
ORDER BY f.rowid DESC LIMIT :limit

-- name: results
SELECT f.rowid, e.session, evidence(literal, :phrases, :pairs)
FROM literal f CROSS JOIN entries e ON e.id = f.rowid
WHERE f.literal MATCH :match AND f.rowid > :floor AND e.copy = 0 {where}
ORDER BY f.rank LIMIT :limit

-- name: newest_results
SELECT f.rowid, e.session, evidence(literal, :phrases, :pairs)
FROM literal f CROSS JOIN entries e ON e.id = f.rowid
WHERE f.literal MATCH :match AND f.rowid > :floor AND e.copy = 0 {where}
ORDER BY f.rowid DESC LIMIT :limit

-- name: passage_evidence
SELECT f.rowid, s.session, evidence(passages, :phrases, x'')
FROM passages f JOIN passage_spans s ON s.id = f.rowid
WHERE f.passages MATCH :match AND f.rowid > :floor {hidden}
ORDER BY f.rank LIMIT :limit

-- name: with_text
SELECT f.id, e.session
FROM (
  SELECT rowid AS id FROM literal WHERE literal MATCH :match AND rowid < :below ORDER BY rowid DESC LIMIT :scan
) f CROSS JOIN entries e ON e.id = f.id CROSS JOIN texts t ON t.id = f.id
WHERE e.copy = 0 AND instr(t.text, :text) > 0 {where}
ORDER BY f.id DESC LIMIT :limit

-- name: with_phrase
SELECT rowid FROM literal WHERE literal MATCH :match AND rowid < :below ORDER BY rowid DESC LIMIT :most

-- name: admitted
SELECT e.id, e.session FROM json_each(:ids) j CROSS JOIN entries e ON e.id = j.value WHERE e.copy = 0 {where}

-- name: said_at
SELECT e.id, e.session, e.seq, e.time
FROM json_each(:places) j
CROSS JOIN entries e ON e.session = json_extract(j.value, '$[0]') AND e.seq = json_extract(j.value, '$[1]')
CROSS JOIN texts t ON t.id = e.id
WHERE e.copy = 0 AND e.kind IN ('prompt', 'message') AND trim(t.text, char(9, 10, 13, 32)) <> '' {where}

-- name: newest
WITH latest AS MATERIALIZED (
  SELECT key FROM sessions ORDER BY updated DESC, source, id, path LIMIT :sessions
)
SELECT e.id, e.session, coalesce(e.time, -1), e.seq
FROM latest l CROSS JOIN entries e ON e.session = l.key
WHERE e.copy = 0 AND +e.size > 0 {where} LIMIT :limit

-- name: hits
SELECT e.id, s.source, s.id, s.path, s.title, s.cwd, s.missing, e.entry_id, e.seq, e.role, e.kind, e.time, e.surface,
       e.tool, CASE WHEN e.size > :longest THEN substr(t.text, 1, :longest) ELSE t.text END, s.key, e.size
FROM entries e JOIN sessions s ON s.key = e.session LEFT JOIN texts t ON t.id = e.id
WHERE e.id IN (SELECT value FROM json_each(:ids))

-- name: entry_places
SELECT id, session, coalesce(time, -1), seq FROM entries WHERE id IN (SELECT value FROM json_each(:ids))

-- name: session_places
SELECT key, coalesce(updated, -1), source, id, path FROM sessions WHERE key IN (SELECT value FROM json_each(:keys))

-- name: vocabulary
-- FTS5 keeps the first 32,768 bytes of a longer word, so that any of those may go on with it.
SELECT term FROM literal_terms WHERE instr(term, ?) > 0 OR length(term) > 8000 LIMIT ?

-- name: with_signs
SELECT term FROM literal_terms WHERE term GLOB '*[' || ? || ']*'

-- name: starting
SELECT term, doc FROM literal_terms WHERE term >= ? AND term <= ? LIMIT ?

-- name: among
SELECT t.term, t.doc FROM json_each(?) j CROSS JOIN literal_terms t ON t.term = j.value

-- name: latest_with
SELECT text FROM (SELECT text FROM texts ORDER BY id DESC LIMIT :latest)
WHERE text LIKE '%' || :piece || '%' AND (:folded OR instr(text, :piece) > 0) LIMIT :most

-- name: latest_signs
SELECT text FROM (SELECT text FROM texts ORDER BY id DESC LIMIT :latest)
WHERE length(text) < length(CAST(text AS BLOB))

-- name: first_entry
SELECT coalesce(min(id), 1) FROM entries

-- name: last_entry
SELECT coalesce(max(id), 0) FROM entries

-- name: first_piece
SELECT coalesce(min(id), 1) FROM passage_spans

-- name: last_piece
SELECT coalesce(max(id), 0) FROM passage_spans
