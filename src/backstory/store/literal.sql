-- name: phrase
SELECT rowid, spans(literal) FROM literal WHERE literal MATCH :match AND rowid BETWEEN :low AND :high

-- name: word
-- The entry of each occurrence.
SELECT json_group_array(doc) FROM literal_places WHERE term = :match AND col IN ('said', 'result')

-- name: keys
SELECT e.size, coalesce(e.time, -1), s.id, e.seq, e.session, e.id
FROM json_each(:ids) j CROSS JOIN entries e ON e.id = j.value CROSS JOIN sessions s ON s.key = e.session
WHERE e.size > 0 {where}

-- name: sizes
-- The shortest of some entries. Rows themselves are far wider than the index named here.
SELECT json_group_array(size), json_group_array(id) FROM (
  SELECT e.size, e.id
  FROM json_each(:ids) j CROSS JOIN entries e INDEXED BY entries_by_size ON e.id = j.value AND e.size > 0
  WHERE (e.size, e.id) > (:size, :id) ORDER BY e.size, e.id LIMIT :most
)

-- name: lengths
-- The shortest of all entries.
SELECT json_group_array(size), json_group_array(id) FROM (
  SELECT size, id FROM entries INDEXED BY entries_by_length
  WHERE size >= :size AND size > 0 AND (size, id) > (:size, :id) ORDER BY size, id LIMIT :most
)

-- name: ranges
SELECT (SELECT json_array(min(id), max(id)) FROM entries WHERE session = j.value) FROM json_each(?) j
