"""Codex CLI: JSON lines, one rollout file per session, in an old and a new form."""
