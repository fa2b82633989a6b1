-- Why: literal search puts equally frequent matches in order by their length. Reading it from the rows of 29,000 matches
-- among a million entries took 53 ms of CPU; from this index, which is a hundredth of the database, it takes 16 ms.
CREATE INDEX entries_by_size ON entries (id, size) WHERE size > 0;
