"""Claude Code: JSON lines, one file per session, one more per subagent."""
