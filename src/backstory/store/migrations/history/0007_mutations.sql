-- Why: memory and pin records are a handful among all entries of all sessions; without this index, finding those of a
-- project reads every entry. Being partial it holds only them.
CREATE INDEX entries_by_mutation ON entries (tool, session, seq)
WHERE tool IN ('ds4-context-memory-v1', 'ds4-context-pin-v1');
