-- name: matching
SELECT json_group_array(id) FROM (
  SELECT rowid AS id FROM literal
  WHERE literal MATCH :match AND rowid BETWEEN :low AND :high ORDER BY rowid LIMIT :most
)

-- name: places
SELECT e.id, e.session, coalesce(e.time, -1), e.seq
FROM json_each(:ids) j CROSS JOIN entries e ON e.id = j.value
WHERE e.copy = 0 {where}

-- name: latest
SELECT key, coalesce(updated, -1) FROM sessions ORDER BY updated DESC, source, id, path LIMIT ?

-- name: ranges
SELECT j.value, (SELECT json_array(min(e.id), max(e.id)) FROM entries e WHERE e.session = j.value) FROM json_each(?) j

-- name: texts
SELECT t.id, CAST(t.text AS BLOB) FROM json_each(?) j CROSS JOIN texts t ON t.id = j.value

-- name: scanned
SELECT e.id, e.session, coalesce(e.time, -1), e.seq
FROM entries e CROSS JOIN texts t ON t.id = e.id
WHERE e.copy = 0 AND +e.size > 0 AND e.session NOT IN (SELECT value FROM json_each(:but))
  AND instr(t.text, :text) > 0 {where}

-- name: scanned_of
SELECT e.id, e.session, coalesce(e.time, -1), e.seq
FROM json_each(:of) j CROSS JOIN entries e ON e.session = j.value CROSS JOIN texts t ON t.id = e.id
WHERE e.copy = 0 AND +e.size > 0 AND instr(t.text, :text) > 0 {where}
