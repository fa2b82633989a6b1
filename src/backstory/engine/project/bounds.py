"""Opens a trusted project within the bounds that its settings give, so that all who index it keep to the same ones.

Before it: `engine.settings`; after it: `engine.project.access`, which knows of no settings.
"""

from pathlib import Path

import msgspec

from backstory.engine import settings
from backstory.engine.open import Engine
from backstory.engine.project import access
from backstory.engine.project.access import Project
from backstory.project.discover import ProjectLimits


def opened(engine: Engine, root: Path, *, trusted: bool = False) -> Project:
    """A project that may be read: trusted in the ledger, or by whoever calls.

    Raises:
        UntrustedProjectError: neither.
    """
    project = access.opened(engine.home, root, trusted=trusted)
    options = settings.effective(engine, str(root), trusted=True).config.project
    return msgspec.structs.replace(
        project, limits=ProjectLimits(options.files, options.file_bytes, options.total_bytes)
    )
