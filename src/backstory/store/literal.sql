-- name: phrase
WITH f AS MATERIALIZED (
  SELECT rowid AS id, spans(literal) AS count FROM literal
  WHERE literal MATCH :match AND rowid BETWEEN :low AND :high
)
SELECT f.count, e.size, coalesce(e.time, -1), s.id, e.seq, e.session, e.id
FROM f CROSS JOIN entries e ON e.id = f.id CROSS JOIN sessions s ON s.key = e.session
WHERE (:every OR f.count >= coalesce((SELECT count FROM f ORDER BY count DESC LIMIT 1 OFFSET :most), 0)) {where}
ORDER BY 1 DESC, 2, 3 DESC, 4, 5 DESC LIMIT :most

-- name: word
WITH f AS MATERIALIZED (
  SELECT doc AS id, count(*) AS count FROM literal_places
  WHERE term = :match AND col IN ('said', 'result') AND doc BETWEEN :low AND :high
  GROUP BY doc
)
SELECT f.count, e.size, coalesce(e.time, -1), s.id, e.seq, e.session, e.id
FROM f CROSS JOIN entries e ON e.id = f.id CROSS JOIN sessions s ON s.key = e.session
WHERE (:every OR f.count >= coalesce((SELECT count FROM f ORDER BY count DESC LIMIT 1 OFFSET :most), 0)) {where}
ORDER BY 1 DESC, 2, 3 DESC, 4, 5 DESC LIMIT :most

-- name: id_range
SELECT min(id), max(id) FROM entries WHERE session = ?
