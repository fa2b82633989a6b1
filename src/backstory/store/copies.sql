-- name: copies
-- Of several files of one session the first that is there counts for all, so that a moved log is not told as gone.
SELECT s.key FROM sessions p JOIN sessions s ON s.parent = p.id AND s.source = p.source AND s.key <> p.key
WHERE p.key IN (SELECT value FROM json_each(:keys)) AND s.origin = 'fork'
UNION
SELECT later.key FROM sessions first
JOIN sessions later ON later.id = first.id AND later.source = first.source
  AND (later.missing, later.path) > (first.missing, first.path)
WHERE first.key IN (SELECT value FROM json_each(:keys))

-- name: originals
SELECT s.key, p.key FROM sessions s JOIN sessions p ON p.id = s.parent AND p.source = s.source AND p.key <> s.key
WHERE s.key IN (SELECT value FROM json_each(:keys)) AND s.origin = 'fork'
UNION
SELECT later.key, first.key FROM sessions later
JOIN sessions first ON first.id = later.id AND first.source = later.source
  AND (first.missing, first.path) < (later.missing, later.path)
WHERE later.key IN (SELECT value FROM json_each(:keys))

-- name: later
SELECT later.key FROM sessions later
WHERE later.key IN (SELECT value FROM json_each(?)) AND EXISTS (
  SELECT 1 FROM sessions first
  WHERE first.id = later.id AND first.source = later.source
    AND (first.missing, first.path) < (later.missing, later.path)
)

-- name: namesakes
SELECT one.key, other.key
FROM sessions one JOIN sessions other ON other.id = one.id AND other.source = one.source AND other.key <> one.key
WHERE one.path IN (SELECT value FROM json_each(?))

-- name: lacking
-- Looser than a mark: neither a message that went on growing in one of two files is another one, nor one that stands in
-- the same place under another id. What a person typed does not change: where ids only count, it tells logs apart.
SELECT 1 FROM entries one
WHERE one.session = :key AND one.size > 0
  AND NOT EXISTS (
    SELECT 1 FROM entries other
    WHERE other.session = :other AND other.entry_id = one.entry_id AND other.size > 0 AND other.kind = one.kind AND (
      one.kind <> 'prompt'
      OR other.hash = one.hash
      OR EXISTS (
        SELECT 1 FROM texts a, texts b
        WHERE a.id = one.id AND b.id = other.id AND (instr(a.text, b.text) = 1 OR instr(b.text, a.text) = 1)
      )
    )
  )
  AND NOT EXISTS (
    SELECT 1 FROM entries other
    WHERE other.session = :other AND other.seq = one.seq AND (
      other.hash = one.hash
      OR (SELECT text FROM texts WHERE id = other.id) = (SELECT text FROM texts WHERE id = one.id)
    )
  )
LIMIT 1

-- name: clear
UPDATE entries SET copy = 0 WHERE session = :key AND seq >= :since AND copy <> 0

-- name: within
-- An id alone says too little: a record can give several entries one id, such as a call and its result, and a message
-- that goes on growing keeps its id, as does one of which a letter changes. Hashes say too much: what is written again
-- often has another parent or session.
UPDATE entries SET copy = 1
WHERE session = :key AND seq >= :since AND size > 0 AND EXISTS (
  SELECT 1 FROM entries earlier
  WHERE earlier.session = :key AND earlier.entry_id = entries.entry_id
    AND earlier.size > 0 AND earlier.size = entries.size AND earlier.kind = entries.kind
    AND earlier.offset <> entries.offset
    AND +earlier.seq < entries.seq  -- the plus keeps the search on entries_by_entry_id
    AND (SELECT text FROM texts WHERE id = earlier.id) = (SELECT text FROM texts WHERE id = entries.id)
)

-- name: repeated
SELECT 1 FROM entries
WHERE session = ? AND entry_id IS NOT NULL AND size > 0
GROUP BY entry_id HAVING count(*) > 1 LIMIT 1

-- name: of
UPDATE entries SET copy = 1
WHERE session = :key AND seq >= :since AND size > 0 AND EXISTS (
  SELECT 1 FROM entries original
  WHERE original.session = :original AND original.entry_id = entries.entry_id
    AND original.size > 0 AND original.size = entries.size AND original.kind = entries.kind
)

-- name: of_anonymous
UPDATE entries SET copy = 1
WHERE session = :key AND seq >= :since AND size > 0 AND entry_id IS NULL AND EXISTS (
  SELECT 1 FROM entries original
  WHERE original.session = :original AND original.seq = entries.seq AND original.hash = entries.hash
)
