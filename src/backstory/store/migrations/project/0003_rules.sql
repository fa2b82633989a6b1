-- Under which rules source was cut and its declarations found. Files do not change when rules do, so nothing else would
-- tell that they must be read again.
ALTER TABLE state ADD COLUMN rules INTEGER NOT NULL DEFAULT 0;
