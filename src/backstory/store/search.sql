-- name: calls
SELECT e.id, e.tool, t.text FROM entries e CROSS JOIN texts t ON t.id = e.id
WHERE e.id IN (SELECT value FROM json_each(:ids)) AND e.kind = 'tool-call'
  AND (e.tool = :tool OR instr(t.text, :word) > 0)

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
