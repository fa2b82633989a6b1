"""A session as planning sees it: read from the index or a log itself, and kept while it grows."""
