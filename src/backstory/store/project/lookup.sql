-- name: by_path
SELECT id, path FROM files WHERE path = ? AND status = 'current'

-- name: by_name
SELECT id, path FROM files WHERE name = ? AND status = 'current' ORDER BY path LIMIT 64

-- name: by_symbol
SELECT files.id, files.path, symbols.name, symbols.qualified, symbols.kind, symbols.start_line, symbols.end_line
FROM symbols JOIN files ON files.id = symbols.file_id
WHERE symbols.name = ? AND files.status = 'current'
ORDER BY files.path, symbols.start_line LIMIT 64

-- name: common
SELECT 1 FROM symbols WHERE name = ? LIMIT 1 OFFSET 64

-- name: declared
-- Places are walked in their order, and of each the lines in theirs: nothing need be sorted.
WITH place AS MATERIALIZED (
  SELECT key, value ->> 0 AS file, value ->> 1 AS first, value ->> 2 AS last FROM json_each(?)
)
SELECT place.key, s.name, s.qualified, s.kind, s.start_line, s.end_line
FROM place CROSS JOIN symbols AS s ON s.file_id = place.file
WHERE s.start_line BETWEEN place.first AND place.last

-- name: called
SELECT DISTINCT symbols.name FROM symbols JOIN files ON files.id = symbols.file_id
WHERE symbols.name IN (SELECT value FROM json_each(?)) AND files.status = 'current'

-- name: written_as
SELECT DISTINCT symbols.name FROM symbols JOIN files ON files.id = symbols.file_id
WHERE replace(symbols.name, '_', '') = replace(?, '_', '') COLLATE NOCASE AND files.status = 'current'

-- name: names_with
SELECT DISTINCT symbols.name FROM symbols JOIN files ON files.id = symbols.file_id
WHERE symbols.name LIKE ? ESCAPE '\' AND symbols.kind <> 'heading' AND files.status = 'current'
ORDER BY length(symbols.name), symbols.name LIMIT ?

-- name: files_with
SELECT DISTINCT name FROM files WHERE name LIKE ? ESCAPE '\' AND status = 'current'
ORDER BY length(name), name LIMIT ?
