"""What tests of keeping a database share: what is in it, commands that read or write it, and the bytes of its files."""

from pathlib import Path

ASKED = ("why did we drop the retry", "because it looped")
WRITERS = (("rebuild",), ("vacuum",), ("forget", "p1"))
READERS = (("search", "retry"), ("index",), ("sessions",), ("health",), ("storage",), ("verify",), ("sources",))


def image(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}
