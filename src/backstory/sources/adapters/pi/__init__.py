"""Pi: JSON lines in a tree, one file per session, formats 1 to 3."""

from backstory.sources.adapters.pi.source import Pi

__all__ = ["Pi"]
