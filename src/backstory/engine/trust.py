"""Which projects a person trusts, as the ledger tells; apart from all else of a project, as every command may ask.

Neighbours: `engine.project.access` writes these decisions, and opens what is trusted.
"""

from backstory.config.paths import Folder
from backstory.errors import UnreadableSourceError
from backstory.store import ledger

TRUST = "project-trust"


def trusted_roots(home: Folder) -> set[str]:
    """The canonical roots a person has trusted and not taken back.

    Raises:
        UnreadableSourceError: the ledger cannot be read.
    """
    latest = {str(record.get("root")): bool(record.get("trusted")) for record in ledger.read(home, TRUST)}
    return {root for root, trusted in latest.items() if trusted}


def is_trusted(home: Folder, root: str | None) -> bool:
    """Whether a person trusts a root; not where nobody can tell, as the ledger cannot be read."""
    try:
        return root in trusted_roots(home)
    except UnreadableSourceError:
        return False
