-- name: documents
SELECT doc FROM word_terms WHERE term = ?

-- name: said
SELECT 1 FROM words WHERE words MATCH ? LIMIT 1

-- name: holding
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
