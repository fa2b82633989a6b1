-- Why: what search prints names an entry without an id by its number, unless another entry of its session has just that
-- number for its id. Few ids are made of digits alone; this index holds only those, of entries without text too.
CREATE INDEX entries_by_number ON entries (session, entry_id) WHERE entry_id NOT GLOB '*[^0-9]*';
