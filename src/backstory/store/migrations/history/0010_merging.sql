-- Why: a first index writes one segment a transaction. Merging each four of them into one, FTS5's default, rewrites most
-- of an index that a search can read as it is: one more segment costs a term one more page.
INSERT INTO literal (literal, rank) VALUES ('automerge', 8);
INSERT INTO words (words, rank) VALUES ('automerge', 8);
INSERT INTO passages (passages, rank) VALUES ('automerge', 8);
