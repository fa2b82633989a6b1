-- name: forks
SELECT s.key, p.key
FROM sessions s JOIN sessions p ON p.id = s.parent AND p.source = s.source AND p.key <> s.key
WHERE s.origin = 'fork'
  AND (s.key IN (SELECT value FROM json_each(:keys)) OR p.key IN (SELECT value FROM json_each(:keys)))

-- name: twins
SELECT later.key, first.key
FROM sessions later
JOIN sessions first ON first.id = later.id AND first.source = later.source AND first.path < later.path
WHERE later.key IN (SELECT value FROM json_each(:keys)) OR first.key IN (SELECT value FROM json_each(:keys))

-- name: clear
UPDATE entries SET copy = 0 WHERE session = ? AND copy <> 0

-- name: within
UPDATE entries SET copy = 1
WHERE session = ?1 AND size > 0 AND EXISTS (
  SELECT 1 FROM entries earlier
  WHERE earlier.session = ?1 AND earlier.entry_id = entries.entry_id AND earlier.size > 0
    AND +earlier.seq < entries.seq  -- the plus keeps the search on entries_by_entry_id
)

-- name: of
UPDATE entries SET copy = 1
WHERE session = ?1 AND size > 0 AND EXISTS (
  SELECT 1 FROM entries original
  WHERE original.session = ?2 AND original.entry_id = entries.entry_id AND original.size > 0
)

-- name: of_anonymous
UPDATE entries SET copy = 1
WHERE session = ?1 AND size > 0 AND entry_id IS NULL AND EXISTS (
  SELECT 1 FROM entries original
  WHERE original.session = ?2 AND original.seq = entries.seq AND original.hash = entries.hash
)
