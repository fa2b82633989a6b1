"""A renewable, fenced lease in the project's database, so that two processes do not index the same project at once.

Times are milliseconds and come from the caller. Taking over a lease that expired, or whose process is gone, raises the
fencing number; whoever held it before can neither renew nor release it any more.
"""

import os
import uuid

from backstory.records.base import Record
from backstory.store.project.database import ProjectStore
from backstory.store.statements import load

SQL = load("project/lease")
INDEX_LEASE_MS = 120_000


class Lease(Record, frozen=True):
    """A held lease."""

    key: str
    owner: str
    fencing: int
    expires_at: int


def owner() -> str:
    """A name for one use of leases that tells which process on which machine it is of."""
    return f"{os.uname().nodename}/{os.getpid()}/{uuid.uuid4().hex}"


def _gone(holder: str) -> bool:
    """Whether an owner is known to be there no more: a process of this machine that ended without giving back."""
    node, _, rest = holder.rpartition("/")[0].rpartition("/")
    if node != os.uname().nodename or not rest.isdecimal():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def acquire(store: ProjectStore, key: str, owner: str, now: int) -> Lease | None:
    """The lease, or None while another owner holds it."""
    expires = now + INDEX_LEASE_MS
    with store.writing("take the index lease"):
        found = store.rows(SQL.get, (key,))
        fencing = 1
        if found:
            holder, fencing, until = found[0]
            if holder == owner:
                expires = max(expires, until)
            elif until > now and not _gone(holder):
                return None
            else:
                fencing += 1
        _put(store, lease := Lease(key, owner, fencing, expires))
    return lease


def renew(store: ProjectStore, lease: Lease, now: int) -> Lease | None:
    """The lease with a later end; None when it expired or is somebody else's by now."""
    with store.writing("renew the index lease"):
        found = store.rows(SQL.get, (lease.key,))
        if not found or found[0][:2] != (lease.owner, lease.fencing) or found[0][2] <= now:
            return None
        renewed = Lease(lease.key, lease.owner, lease.fencing, max(found[0][2], now + INDEX_LEASE_MS))
        _put(store, renewed)
    return renewed


def release(store: ProjectStore, lease: Lease) -> None:
    """Gives the lease back if it is still this one."""
    with store.writing("release the index lease"):
        store.connection.execute(
            "DELETE FROM leases WHERE key = ? AND owner = ? AND fencing = ?", (lease.key, lease.owner, lease.fencing)
        )


def _put(store: ProjectStore, lease: Lease) -> None:
    fields = {"key": lease.key, "owner": lease.owner, "fencing": lease.fencing, "expires_at": lease.expires_at}
    store.connection.execute(SQL.put, fields)
