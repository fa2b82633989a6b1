"""Settings and places: what can be set, where it is read from, and where Backstory keeps its files. Start with `load`."""
