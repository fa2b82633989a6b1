-- Ranges that are shown are called by what begins in them. A header declares thousands of names, of which few stand in a
-- range, so they are found by file and line.
CREATE INDEX symbols_by_line ON symbols (file_id, start_line);
DROP INDEX symbols_by_file;
