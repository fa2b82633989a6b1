"""Keeps the working set of a session between plans: an opaque value, and a digest of the entries it was made from."""

from backstory.store.history import History


def covered(history: History, session: int) -> tuple[int, str]:
    """(entries covered, their digest) of what is kept; (0, "") for nothing."""
    sql = "SELECT entries, digest FROM working_sets WHERE session = ?"
    for entries, digest in list(history.rows(sql, (session,))):
        return entries, digest
    return 0, ""


def get(history: History, session: int) -> bytes:
    """The content of what is kept, which must be there."""
    [(content,)] = history.rows("SELECT content FROM working_sets WHERE session = ?", (session,))
    return bytes(content)


def put(history: History, session: int, entries: int, digest: str, content: bytes) -> None:
    """Keeps a working set in place of an earlier one."""
    with history.write("keep a working set"):
        history.db.execute(
            "INSERT OR REPLACE INTO working_sets (session, entries, digest, content) VALUES (?, ?, ?, ?)",
            (session, entries, digest, content),
        )
