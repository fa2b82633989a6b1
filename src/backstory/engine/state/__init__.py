"""What an engine keeps in memory between two requests; nothing of it outlives the process."""
