-- name: span
SELECT coalesce(min(id), 0), coalesce(max(id), 0), coalesce(max(seq), :after) FROM entries WHERE session = :session AND seq > :after

-- name: holding
SELECT e.seq FROM literal f CROSS JOIN entries e ON e.id = f.rowid
WHERE f.literal MATCH :match AND f.rowid >= :first AND f.rowid <= :last AND e.session = :session AND e.seq > :after
  AND e.kind IN ('prompt', 'message', 'tool-call', 'tool-result', 'command', 'memory')
  AND substr(:marks, e.seq + 1, 1) = x'01'
ORDER BY e.seq DESC LIMIT :limit

-- name: spoken
SELECT e.seq FROM words f CROSS JOIN entries e ON e.id = f.rowid
WHERE f.words MATCH :match AND f.rowid >= :first AND f.rowid <= :last AND e.session = :session AND e.seq > :after
  AND e.kind IN ('prompt', 'message', 'tool-call', 'command', 'memory')
  AND substr(:marks, e.seq + 1, 1) = x'01'
ORDER BY e.seq DESC LIMIT :limit

-- name: elsewhere
SELECT count(*) FROM literal f CROSS JOIN entries e ON e.id = f.rowid
WHERE f.literal MATCH :match AND f.rowid >= :first AND f.rowid <= :last AND e.session = :session AND e.seq > :after
  AND e.kind IN ('prompt', 'message', 'tool-call', 'tool-result', 'command', 'memory')
  AND e.sidechain = 0 AND substr(:marks, e.seq + 1, 1) = x'00'

-- name: texts
SELECT e.seq, e.entry_id, e.kind, e.time, e.tool, e.paths, e.call_ids, substr(t.text, 1, :longest)
FROM entries e JOIN texts t ON t.id = e.id
WHERE e.session = :session AND e.seq IN (SELECT value FROM json_each(:seqs)) ORDER BY e.seq

-- name: gained_spoken
SELECT term.key, e.seq FROM json_each(:matches) term CROSS JOIN words f CROSS JOIN entries e ON e.id = f.rowid
WHERE f.words MATCH term.value AND f.rowid >= :first AND f.rowid <= :last AND e.session = :session AND e.seq > :after
  AND e.kind IN ('prompt', 'message', 'tool-call', 'command', 'memory')
  AND substr(:marks, e.seq + 1, 1) = x'01'

-- name: gained_held
SELECT term.key, e.seq FROM json_each(:matches) term CROSS JOIN literal f CROSS JOIN entries e ON e.id = f.rowid
WHERE f.literal MATCH term.value AND f.rowid >= :first AND f.rowid <= :last AND e.session = :session AND e.seq > :after
  AND e.kind IN ('prompt', 'message', 'tool-call', 'tool-result', 'command', 'memory')
  AND substr(:marks, e.seq + 1, 1) = x'01'
