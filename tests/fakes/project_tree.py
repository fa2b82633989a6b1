"""A project in a folder for tests: files, Git commands, and the use cases over it with a clock that can be moved."""

import subprocess
from pathlib import Path

from backstory.engine.project import access as use
from backstory.engine.project import search as project_search
from backstory.project.discover import ProjectLimits
from backstory.records.project import SearchResult, SyncReport
from backstory.store.project import contents
from backstory.store.project.database import ProjectStore


class Tree:
    """A trusted project below a temporary folder."""

    def __init__(self, base: Path, *, git: bool = True) -> None:
        self.home = base / "home"
        self.root = (base / "tree").resolve()
        self.root.mkdir(exist_ok=True)
        self.time = 1_700_000_000_000
        self.project = use.Project(self.root, base / "index.db", ProjectLimits(), lambda: self.time)
        if git:
            self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """One Git command as a made-up person."""
        person = ["-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "protocol.file.allow=always"]
        done = subprocess.run(["git", *person, *arguments], cwd=cwd or self.root, check=True, capture_output=True)
        return done.stdout.decode()

    def write(self, path: str, text: str | bytes) -> Path:
        """One file."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return place

    def commit(self, message: str) -> str:
        """Everything as one commit; its id."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def index(self, *, force: bool = False) -> SyncReport:
        """Synchronises."""
        return use.index(self.project, force=force)

    def search(
        self, text: str, *, limit: int | None = None, budget: int = project_search.BUDGET, fresh: bool = False
    ) -> SearchResult:
        """Searches, without synchronising first unless asked to."""
        return project_search.search(self.project, text, limit=limit, budget=budget, fresh=fresh)

    def paths(self) -> list[str]:
        """Indexed paths."""
        with ProjectStore(str(self.project.database)) as store:
            return [row[0] for row in contents.files(store, "", 1000)]


def module(name: str, words: str) -> str:
    """A Python module that declares one function and speaks of some words."""
    return f'"""About {words}."""\n\n\ndef {name}(value):\n    """Does {words}."""\n    return value\n'
