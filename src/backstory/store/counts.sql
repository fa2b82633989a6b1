-- name: counts
SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM sessions WHERE missing = 1),
       (SELECT count(*) FROM entries), (SELECT count(*) FROM entries WHERE size > 0), (SELECT count(*) FROM damage)

-- name: table_sizes
SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC, 1

-- name: unconverged
SELECT count(*) FROM sessions WHERE extraction <> ?

-- name: orphans
SELECT
  (SELECT count(*) FROM entries e INDEXED BY entries_by_size
   WHERE e.size > 0 AND NOT EXISTS (SELECT 1 FROM texts t WHERE t.id = e.id)),
  (SELECT count(*) FROM texts t WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = t.id)),
  (SELECT count(*) FROM entries e WHERE e.size > 0) - (SELECT count(*) FROM literal_docsize)
