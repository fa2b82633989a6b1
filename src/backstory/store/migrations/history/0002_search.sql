-- Why: three contentless indexes over the text in `texts`, sharing its row id where they index entries.
-- `literal` holds every searchable entry unstemmed: what was said, what tools answered, and the parts of camelCase
-- names, each in a column of its own so that a phrase never runs from one into another. It answers exact and literal
-- search. `words` holds what people and agents said, stemmed, with name parts: ranking reads it, and tool output never
-- dilutes it. `passages` holds each session's conversation in pieces of about 32 KiB: which session was it.
-- detail=full is needed for phrases and for bm25 (with less detail a contentless table ranks every row 0).
CREATE VIRTUAL TABLE literal USING fts5 (
  said, result, parts,
  content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE words USING fts5 (
  said,
  content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE passages USING fts5 (
  text,
  content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2"
);
CREATE TABLE passage_spans (
  id       INTEGER PRIMARY KEY,
  session  INTEGER NOT NULL REFERENCES sessions (key),
  first    INTEGER NOT NULL,
  last     INTEGER NOT NULL,
  size     INTEGER NOT NULL
) STRICT;
CREATE INDEX passage_spans_by_session ON passage_spans (session, first);

CREATE VIRTUAL TABLE literal_terms USING fts5vocab (literal, row);
CREATE VIRTUAL TABLE word_terms USING fts5vocab (words, row);
CREATE VIRTUAL TABLE passage_terms USING fts5vocab (passages, row);

INSERT INTO literal (literal, rank) VALUES ('hashsize', 16777216);
INSERT INTO words (words, rank) VALUES ('hashsize', 8388608);
INSERT INTO passages (passages, rank) VALUES ('hashsize', 4194304);
