-- name: entries
SELECT seq, kind, visible, entry_id, parent_id, sidechain, op, target, call_ids, role, chars, size, offset, length, hash
FROM entries WHERE session = :session AND seq > :after ORDER BY seq

-- name: entries_at
SELECT seq, kind, visible, entry_id, parent_id, sidechain, op, target, call_ids, role, chars, size, offset, length, hash
FROM entries WHERE session = :session AND seq IN (SELECT value FROM json_each(:seqs)) ORDER BY seq

-- name: fingerprint
SELECT count(*), coalesce(sum(id), 0),
  (SELECT offset FROM entries WHERE session = :session AND seq = :last),
  (SELECT hash FROM entries WHERE session = :session AND seq = :last)
FROM entries WHERE session = :session AND seq > :after AND seq <= :last

-- name: indexed
SELECT key, generation, (SELECT max(seq) FROM entries WHERE session = key)
FROM sessions WHERE path = :path AND source = :source AND id = :id

-- name: revision
SELECT generation, extraction, facts FROM sessions WHERE key = :session

-- name: said
SELECT e.seq, e.entry_id, e.kind, e.time, e.tool, e.paths, e.call_ids, t.text
FROM entries e JOIN texts t ON t.id = e.id
WHERE e.session = :session AND e.seq IN (SELECT value FROM json_each(:seqs))
ORDER BY e.seq

-- name: models
SELECT e.seq, t.text
FROM entries e JOIN texts t ON t.id = e.id
WHERE e.session = :session AND e.seq > :after AND e.kind = 'model' ORDER BY e.seq DESC LIMIT 32

-- name: labels
SELECT e.seq, e.target, t.text
FROM entries e JOIN texts t ON t.id = e.id
WHERE e.session = :session AND e.kind = 'label' ORDER BY e.seq
