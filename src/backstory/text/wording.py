"""Times, sizes and names as people read them."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNDATED = "no date"
UNFINISHED = "the index is not complete yet: ask again, or let backstory index finish it"


def when(time: int | None) -> str:
    """Unix milliseconds as `2026-01-31 14:05` UTC."""
    if time is None:
        return UNDATED
    try:
        return (EPOCH + timedelta(milliseconds=time)).isoformat(" ")[:16]
    except OverflowError:
        return UNDATED


def begun(time: int | None) -> str:
    """When a session began, told apart from other times of it."""
    told = when(time)
    return told if told == UNDATED else f"begun {told}"


def path_name(path: str) -> str:
    """A path on one line: an end of line inside a name is escaped, so that no name looks like two files."""
    return path.replace("\n", "\\n").replace("\r", "\\r")


def size(count: int) -> str:
    """Bytes as `58.3 MB`."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def counted(count: int, noun: str) -> str:
    """`1 session`, `2 sessions`, `2 entries`, `2 matches`."""
    if count == 1:
        return f"1 {noun}"
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{count:,} {many}"
