"""Keeps the working set of a session between plans: an opaque value, and a digest of the entries it was made from."""

from backstory.store.history import History


def get(history: History, session: int) -> tuple[int, str, bytes] | None:
    """(entries covered, their digest, content), None when nothing is kept."""
    sql = "SELECT entries, digest, content FROM working_sets WHERE session = ?"
    for entries, digest, content in list(history.rows(sql, (session,))):
        return entries, digest, content
    return None


def put(history: History, session: int, entries: int, digest: str, content: bytes) -> None:
    """Keeps a working set in place of an earlier one."""
    with history.write("keep a working set"):
        history.db.execute(
            "INSERT OR REPLACE INTO working_sets (session, entries, digest, content) VALUES (?, ?, ?, ?)",
            (session, entries, digest, content),
        )
