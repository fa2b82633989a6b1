-- name: insert
INSERT OR REPLACE INTO manifests (id, session, created, mode, model, estimated, size, document)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: amend
UPDATE manifests SET size = ?, document = ? WHERE id = ?

-- name: oldest
SELECT number, size FROM manifests ORDER BY number LIMIT max(0, min(?, (SELECT count(*) FROM manifests) - ?))

-- name: delete
DELETE FROM manifests WHERE number = ?

-- name: get
SELECT document, input, cache_read, cache_write, output FROM manifests WHERE id = ?

-- name: begun
SELECT id FROM manifests WHERE id >= :name AND id < :after ORDER BY id LIMIT :most

-- name: latest
SELECT document, input, cache_read, cache_write, output FROM manifests
WHERE session = ? AND NOT instr(document, CAST('"replayed":"' AS BLOB)) ORDER BY number DESC LIMIT 1

-- name: list
SELECT id, session, created, mode, model, estimated, input FROM manifests
WHERE :session IS NULL OR session = :session ORDER BY number DESC LIMIT :limit

-- name: sessions
SELECT DISTINCT session FROM manifests

-- name: calls
SELECT id, session, created, mode, model, estimated, input FROM manifests
WHERE session = ? AND NOT instr(document, CAST('"replayed":"' AS BLOB)) ORDER BY number DESC LIMIT ?

-- name: usage
UPDATE manifests SET input = ?, cache_read = ?, cache_write = ?, output = ? WHERE id = ? AND input IS NULL

-- name: sample
INSERT OR IGNORE INTO samples (profile, manifest, estimated, input, cache_read, cache_write, time)
VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: reported
SELECT 1 FROM manifests
WHERE session = ? AND input IS NOT NULL AND NOT instr(document, CAST('"observed":true' AS BLOB)) LIMIT 1

-- name: known
SELECT manifest FROM samples WHERE manifest IN (SELECT value FROM json_each(?))

-- name: samples
SELECT estimated, input, cache_read, cache_write, time FROM samples WHERE profile = ? ORDER BY number DESC LIMIT ?

-- name: prune_samples
DELETE FROM samples WHERE number IN (
  SELECT number FROM samples WHERE profile = :profile ORDER BY number
  LIMIT max(0, min(:most, (SELECT count(*) FROM samples WHERE profile = :profile) - :kept))
)

-- name: all_manifests
SELECT id, session, created, mode, model, estimated, size, document, input, cache_read, cache_write, output
FROM manifests ORDER BY number

-- name: put_manifest
INSERT OR IGNORE INTO manifests
  (id, session, created, mode, model, estimated, size, document, input, cache_read, cache_write, output)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: follow
-- What a provider counted is noted once; the other database may have it already.
UPDATE manifests SET size = ?, document = ?, input = coalesce(input, ?), cache_read = coalesce(cache_read, ?),
  cache_write = coalesce(cache_write, ?), output = coalesce(output, ?)
WHERE id = ?

-- name: all_samples
SELECT profile, manifest, estimated, input, cache_read, cache_write, time FROM samples ORDER BY number

-- name: put_sample
INSERT OR IGNORE INTO samples (profile, manifest, estimated, input, cache_read, cache_write, time)
VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: sizes
SELECT count(*), coalesce(sum(size), 0), (SELECT count(*) FROM samples) FROM manifests
