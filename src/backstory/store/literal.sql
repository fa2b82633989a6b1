-- name: phrase
SELECT rowid AS id, spans(literal) AS count FROM literal
WHERE literal MATCH :match AND rowid BETWEEN :low AND :high

-- name: word
SELECT doc AS id, count(*) AS count FROM literal_places
WHERE term = :match AND col IN ('said', 'result') GROUP BY doc

-- name: ordered
-- Of one of the two above. The more occurrences and the shorter, the lower the rank. Rows themselves are far wider than
-- the index named here. The last row says how many matches there are, or from the key on.
WITH f AS {kept} ({phrase}), g AS MATERIALIZED (
  SELECT f.id, e.size - (f.count << 32) AS rank
  FROM f CROSS JOIN entries e INDEXED BY entries_by_size ON e.id = f.id AND e.size > 0
  WHERE (:all OR f.count >= min(:count, coalesce((SELECT count FROM f ORDER BY count DESC LIMIT 1 OFFSET :reach), 0)))
    AND (:fresh OR e.size - (f.count << 32) >= :rank)
), edge AS (
  SELECT rank FROM g WHERE rank > :rank ORDER BY rank LIMIT 1 OFFSET :most
), given AS (
  SELECT e.session FROM g CROSS JOIN entries e ON e.id = g.id CROSS JOIN sessions s ON s.key = e.session
  WHERE g.rank <= :rank
    AND (g.rank < :rank OR (-coalesce(e.time, -1), s.id, -e.seq, e.id) <= (-:time, :id, -:seq, :row)) {where}
)
SELECT * FROM (
  SELECT g.rank, coalesce(e.time, -1), s.id, e.seq, e.session, e.id
  FROM g CROSS JOIN entries e ON e.id = g.id CROSS JOIN sessions s ON s.key = e.session
  WHERE g.rank >= :rank AND (:every OR g.rank <= coalesce((SELECT rank FROM edge), 1 << 32))
    AND (g.rank > :rank OR (-coalesce(e.time, -1), s.id, -e.seq, e.id) > (-:time, :id, -:seq, :row))
    AND (NOT :fresh OR e.session NOT IN (SELECT session FROM given)) {where}
  ORDER BY 1, 2 DESC, 3, 4 DESC, 6 LIMIT :most
)
UNION ALL SELECT iif(:all, (SELECT count(*) FROM g), (SELECT count(*) FROM f)), 0, '', 0, 0, 0

-- name: id_range
SELECT min(id), max(id) FROM entries WHERE session = ?
