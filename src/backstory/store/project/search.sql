-- name: candidates
SELECT files.id, bm25(file_fts) AS score FROM file_fts CROSS JOIN files ON files.id = file_fts.rowid
WHERE file_fts MATCH ? ORDER BY score, files.path LIMIT ?

-- name: documents
SELECT term, doc FROM temp.body_words WHERE term IN (SELECT value FROM json_each(?))

-- name: path_documents
SELECT term, doc FROM temp.path_words WHERE term IN (SELECT value FROM json_each(?))

-- name: with_phrase
SELECT (
  SELECT json_group_array(rowid) FROM (SELECT rowid FROM file_fts WHERE file_fts MATCH phrase.value LIMIT :most)
)
FROM json_each(:phrases) AS phrase

-- name: in_paths
SELECT files.id, bm25(path_fts) AS score FROM path_fts CROSS JOIN files ON files.id = path_fts.rowid
WHERE path_fts MATCH ? ORDER BY score, files.path LIMIT ?

-- name: occurrences
SELECT places(file_fts) FROM file_fts
WHERE file_fts MATCH :match AND +rowid IN (SELECT value FROM json_each(:ids))

-- name: occurrences_in_few
SELECT places(file_fts) FROM file_fts
WHERE file_fts MATCH :match AND rowid IN (SELECT value FROM json_each(:ids))

-- name: paths
SELECT id, path FROM files WHERE status = 'current' AND id IN (SELECT value FROM json_each(?))

-- name: first_of
SELECT id FROM files WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path LIMIT ?

-- name: files
SELECT id, path, hash, modified, tracked, language FROM files
WHERE status = 'current' AND id IN (SELECT value FROM json_each(?))

-- name: snippets
SELECT file_id, ranges FROM snippets WHERE file_id IN (SELECT value FROM json_each(?))

-- name: commit_hits
SELECT rowid, bm25(commit_fts) AS score FROM commit_fts WHERE commit_fts MATCH ? ORDER BY score, rowid DESC LIMIT ?

-- name: commit_paths
SELECT commit_files.commit_id, files.id
FROM commit_files JOIN files ON files.path = commit_files.path
WHERE files.status = 'current' AND commit_files.commit_id IN (SELECT value FROM json_each(?))
ORDER BY commit_files.commit_id, files.id

-- name: commit_sizes
SELECT id, files FROM commits WHERE id IN (SELECT value FROM json_each(?))

-- name: together
WITH newest AS MATERIALIZED (SELECT max(id) AS id FROM commits),
leads AS MATERIALIZED (SELECT id, path FROM files WHERE id IN (SELECT value FROM json_each(:ids)))
SELECT leads.id, newest.id - touched.commit_id, commits.files, files.id
FROM newest
CROSS JOIN commit_files AS touched
CROSS JOIN leads ON leads.path = touched.path
CROSS JOIN commits ON commits.id = touched.commit_id
CROSS JOIN commit_files AS others ON others.commit_id = touched.commit_id
CROSS JOIN files ON files.path = others.path
WHERE touched.commit_id > newest.id - :commits AND commits.files <= :most AND files.status = 'current'

-- name: recency
SELECT files.id, recency.score FROM files JOIN recency ON recency.path = files.path
WHERE files.id IN (SELECT value FROM json_each(?))

-- name: recent
SELECT files.id, recency.score FROM recency CROSS JOIN files ON files.path = recency.path
WHERE files.status = 'current' ORDER BY recency.score DESC, recency.path LIMIT ?

-- name: latest
SELECT files.id, newest.id - touched.commit_id
FROM (SELECT coalesce(max(id), 0) AS id FROM commits) newest
CROSS JOIN commit_files touched ON touched.commit_id > newest.id - ?
CROSS JOIN files ON files.path = touched.path
WHERE files.status = 'current'

-- name: counts
SELECT
  (SELECT count(*) FROM files WHERE status = 'current'),
  (SELECT coalesce(sum(number), 0) FROM snippets),
  (SELECT count(*) FROM commits)
