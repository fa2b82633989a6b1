-- Why: results were kept as the model that was planned for first might see them, for a local one without the marks that
-- say how private they are, so that others could look into them later. All are made again from their logs, marks included.
DELETE FROM artifacts;
