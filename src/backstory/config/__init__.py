"""Settings and places: what can be set, where it is read, and where Backstory keeps files. Start with `load`."""
