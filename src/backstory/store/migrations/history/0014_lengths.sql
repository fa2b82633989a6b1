-- Why: a page of literal search goes on behind an entry of some length among tens of thousands of matches. Reading the
-- lengths of them all took as long as finding them; going through entries by length meets the next few at once.
CREATE INDEX entries_by_length ON entries (size) WHERE size > 0;
