"""What is done after news from a host: its session's log is read into the index, its project's index kept current.

All of it is left for quiet moments, and nothing at all is done about sessions that leave no log or that are observed
with everything switched off.
"""

from collections.abc import Sequence
from pathlib import Path

from backstory.engine import settings
from backstory.engine.host import hosted
from backstory.engine.host.host import Host, folder
from backstory.engine.loading import load
from backstory.engine.project import access, bounds
from backstory.errors import InvalidProjectError
from backstory.project.root import canonical
from backstory.records.config import Config
from backstory.records.host import HostCall
from backstory.store.project import state
from backstory.store.project.database import readable

MOST_NAMED = 64
# After these a person thinks first, so the next plan can be prepared.
AHEAD = frozenset({"start", "tree", "compact"})


def session(host: Host, call: HostCall, event: str) -> None:
    """Something happened to a session."""
    if call.ephemeral or _config(host, call).mode == "off":
        return
    if event in AHEAD:
        host.work.add("ahead", lambda: load("engine.host.contexts:ahead")(host, call))
    host.work.add("session", lambda: hosted.bring(host.engine, call))
    if event == "start":
        changed(host, call, None)


def changed(host: Host, call: HostCall, paths: Sequence[str] | None) -> None:
    """A tool wrote these files, or may have written any."""
    options = _config(host, call)
    root = _root(call)
    if root is None or call.ephemeral or options.mode == "off" or not options.project.enabled:
        return
    named = _inside(root, paths)
    if named is None or not access.database(host.engine.home, root).exists():
        host.work.add("project", lambda: _index(host, root))
    else:
        host.work.add(f"files {' '.join(named)}", lambda: _refresh(host, root, named))


def indexed_root(host: Host, call: HostCall) -> Path | None:
    """The root of a trusted project whose index is ready; a call does not wait until one is made."""
    root = _root(call)
    if root is None or str(root) in host.indexed:
        return root
    if not access.database(host.engine.home, root).exists():
        return None
    with readable(str(access.database(host.engine.home, root))) as store:
        if state.get(store).revision.indexed_at is None:
            return None
    host.indexed.add(str(root))
    return root


def _config(host: Host, call: HostCall) -> Config:
    return settings.effective(host.engine, call.cwd, trusted=call.trusted).config


def _root(call: HostCall) -> Path | None:
    try:
        chosen = folder(call)
        return canonical(chosen) if chosen is not None else None
    except InvalidProjectError:
        return None


def _inside(root: Path, paths: Sequence[str] | None) -> tuple[str, ...] | None:
    """Paths relative to a root, None when that is not known of all of them."""
    if paths is None or len(paths) > MOST_NAMED:
        return None
    found = []
    for path in paths:
        whole = root / path
        if not whole.is_relative_to(root) or ".." in whole.parts:
            return None
        found.append(whole.relative_to(root).as_posix())
    return tuple(found)


def _index(host: Host, root: Path) -> None:
    opened = bounds.opened(host.engine, root, trusted=True)
    access.index(opened, cancelled=host.engine.cancelled)


def _refresh(host: Host, root: Path, named: Sequence[str]) -> None:
    access.refresh(bounds.opened(host.engine, root, trusted=True), named)
