"""DSH (DeepSeek Harness): numbered events as JSON lines, plain or in zstd frames, one file per session."""

from backstory.sources.adapters.dsh.source import Dsh

__all__ = ["Dsh"]
