-- Why: whether a host reported usage for a session is asked before every plan of it. The counts stand behind a document of
-- up to a mebibyte, which must not be read for the answer.
CREATE INDEX manifests_reported ON manifests (session) WHERE input IS NOT NULL;
