"""Pi: JSON lines in a tree, one file per session, formats 1 to 3."""
