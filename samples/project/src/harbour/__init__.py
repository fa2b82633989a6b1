"""A small job queue on SQLite."""

from harbour.queue import Job, Queue

__all__ = ["Job", "Queue"]
