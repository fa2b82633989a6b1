"""DSH (DeepSeek Harness): numbered events as JSON lines, plain or in zstd frames, one file per session."""
