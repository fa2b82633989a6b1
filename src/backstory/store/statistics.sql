-- name: word_sizes
SELECT block FROM words_data WHERE id = 1

-- name: literal_sizes
SELECT block FROM literal_data WHERE id = 1

-- name: passage_sizes
SELECT block FROM passages_data WHERE id = 1

-- name: word_first
SELECT j.key, (
  SELECT json_array(count(*), max(id)) FROM (SELECT rowid AS id FROM words WHERE words MATCH j.value LIMIT :most)
) FROM json_each(:matches) j

-- name: word_last
SELECT j.key, (
  SELECT json_array(count(*), min(id))
  FROM (SELECT rowid AS id FROM words WHERE words MATCH j.value ORDER BY rowid DESC LIMIT :most)
) FROM json_each(:matches) j

-- name: literal_first
SELECT j.key, (
  SELECT json_array(count(*), max(id)) FROM (SELECT rowid AS id FROM literal WHERE literal MATCH j.value LIMIT :most)
) FROM json_each(:matches) j

-- name: passage_first
SELECT j.key, (
  SELECT json_array(count(*), max(id)) FROM (SELECT rowid AS id FROM passages WHERE passages MATCH j.value LIMIT :most)
) FROM json_each(:matches) j

-- name: first_entry
SELECT coalesce(min(id), 1) FROM entries

-- name: last_entry
SELECT coalesce(max(id), 0) FROM entries

-- name: first_piece
SELECT coalesce(min(id), 1) FROM passage_spans

-- name: last_piece
SELECT coalesce(max(id), 0) FROM passage_spans
