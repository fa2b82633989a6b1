-- Why: a file in which no source found a session was passed by until it changed, also by newer rules that know better. So
-- the version of the rules is kept with it, as with every session; that of files that were passed by so far is unknown.
ALTER TABLE ignored ADD COLUMN extraction INTEGER NOT NULL DEFAULT 0;
