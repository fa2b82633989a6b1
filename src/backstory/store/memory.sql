-- name: insert
INSERT INTO kept (kind, name, scope, owner, session, logged, status, created, mutation, document)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: insert_words
INSERT INTO kept_words (rowid, claim, key) VALUES (?, ?, ?)

-- name: ids
SELECT k.id FROM json_each(?) tie JOIN kept k
ON k.kind = substr(tie.value, 1, instr(tie.value, ' ') - 1) AND k.name = substr(tie.value, instr(tie.value, ' ') + 1)

-- name: applies
((k.owner = :session AND k.scope <> 'project')
  OR (k.owner = :project AND k.scope = 'project' AND (NOT k.logged OR k.session = :session OR k.session IN (
    SELECT id FROM memory_sources WHERE project = :project ORDER BY path DESC LIMIT :sessions))))

-- name: listed
SELECT k.document FROM kept k JOIN mutations m ON m.id = k.mutation
WHERE k.kind = :kind AND k.owner IN (:session, :project) AND (k.status = 'active' OR :all) AND {applies}
ORDER BY k.created, k.session, m.seq, k.name

-- name: any
SELECT 1 FROM kept LIMIT 1

-- name: everything
SELECT document FROM kept

-- name: matching
SELECT term.key, (
  SELECT group_concat(rowid) FROM (SELECT rowid FROM kept_words WHERE kept_words MATCH term.value LIMIT :most)
) FROM json_each(:matches) term

-- name: keyed
SELECT rowid FROM kept_words WHERE kept_words MATCH ?

-- name: applying
SELECT k.scope = 'session', k.created, k.name, k.id
FROM json_each(:ids) one CROSS JOIN kept k ON k.id = one.value
WHERE k.kind = 'memory' AND k.status = 'active' AND {applies}

-- name: document
SELECT document FROM kept WHERE id = ?

-- name: newest
SELECT k.document FROM (
  SELECT id FROM (
    SELECT k.id FROM kept k
    WHERE k.kind = 'memory' AND k.status = 'active' AND k.owner = :session AND k.scope <> 'project'
    ORDER BY k.created DESC, k.name LIMIT :limit
  )
  UNION ALL
  SELECT id FROM (
    SELECT k.id FROM kept k
    WHERE k.kind = 'memory' AND k.status = 'active' AND k.owner = :project AND k.scope = 'project'
      AND {applies}
    ORDER BY k.created DESC, k.name LIMIT :limit
  )
) n JOIN kept k ON k.id = n.id
