"""The database of one project: what is written of its files, who writes, past commits, and what ranking reads of it."""
