-- name: places
SELECT e.seq, e.entry_id, e.kind, e.role, e.chars, e.offset, e.length, e.hash
FROM entries e WHERE e.session = :session AND e.seq IN (SELECT value FROM json_each(:seqs)) ORDER BY e.seq

-- name: said
SELECT e.seq, e.entry_id, e.kind, e.time, e.tool, e.paths, e.call_ids, t.text
FROM entries e JOIN texts t ON t.id = e.id
WHERE e.session = :session AND e.seq >= :from AND e.seq <= :to
  AND e.kind IN ('prompt', 'message', 'tool-call', 'tool-result', 'command')
ORDER BY e.seq

-- name: models
SELECT e.seq, t.text
FROM entries e JOIN texts t ON t.id = e.id
WHERE e.session = :session AND e.seq > :after AND e.kind = 'model' ORDER BY e.seq DESC LIMIT 32

-- name: labels
SELECT e.seq, e.target, t.text
FROM entries e JOIN texts t ON t.id = e.id
WHERE e.session = :session AND e.kind = 'label' ORDER BY e.seq
