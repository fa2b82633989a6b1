"""Gemini CLI: one JSON document per session, or since 0.40 JSON lines with patches."""
