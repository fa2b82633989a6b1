-- name: unclear
-- Whether another session has the id of an entry's session; whether its own names another one: a later one, or by its
-- number; and the number of the entry in the first spelling that is no id.
SELECT e.id,
  EXISTS (SELECT 1 FROM sessions o WHERE o.id = s.id AND o.key <> s.key),
  e.entry_id GLOB '#[0-9]*' OR EXISTS (
    SELECT 1 FROM entries l
    WHERE l.session = e.session AND l.entry_id = e.entry_id AND l.size > 0
      AND +l.seq > e.seq  -- the plus keeps the search on entries_by_entry_id
  ),
  CASE
    WHEN EXISTS (
      SELECT 1 FROM entries l
      WHERE l.session = e.session AND l.entry_id = CAST(e.seq AS TEXT) AND l.entry_id NOT GLOB '*[^0-9]*'
    )
    THEN '#' || e.seq
    ELSE CAST(e.seq AS TEXT)
  END
FROM entries e JOIN sessions s ON s.key = e.session
WHERE e.id IN (SELECT value FROM json_each(?))

-- name: shared
SELECT s.key FROM sessions s
WHERE s.key IN (SELECT value FROM json_each(?))
  AND EXISTS (SELECT 1 FROM sessions o WHERE o.id = s.id AND o.key <> s.key)
