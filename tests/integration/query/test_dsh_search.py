"""Our literal search beside DSH's own service, over a store that DSH's own packages wrote.

The packages are installed from the lock file beside `search.mjs` into `.tools/`; without npm, or without a registry,
the test is skipped and says so.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from backstory.engine.query.service import QueryService
from backstory.index.live import LiveSessions
from backstory.records.query import ListEvents, ListSessions, SearchEvents, SearchSessions
from backstory.sources.discover import Place

REPOSITORY = Path(__file__).resolve().parents[3]
GIVEN = Path(__file__).parent / "dsh"
TOOLS = REPOSITORY / ".tools" / "dsh-search"

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def installed() -> Path:
    """A folder in which the packages are installed."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    TOOLS.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", "search.mjs"):
        shutil.copy(GIVEN / name, TOOLS / name)
    if not (TOOLS / "node_modules" / "node" / "bin" / "node").exists():
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=TOOLS, capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"npm cannot install the DSH packages: {done.stderr.decode()[-200:]}")
    return TOOLS


@pytest.fixture(scope="module")
def store(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the store, which DSH may lock as it likes."""
    root = tmp_path_factory.mktemp("dsh") / "sessions"
    shutil.copytree(data / "dsh" / "c2k", root)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return root


@pytest.fixture(scope="module")
def ours(store: Path, tmp_path_factory: pytest.TempPathFactory) -> QueryService:
    """Our service over the store."""
    path = tmp_path_factory.mktemp("ours") / "history.db"
    service = QueryService(str(path), LiveSessions(), [Place("dsh", str(store))])
    service.reconcile()
    return service


def _queries(service: QueryService) -> list[dict[str, str]]:
    """Words, phrases and pieces with punctuation, taken from all over the store, and some that it lacks."""
    found: list[dict[str, str]] = []
    sessions = service.list_sessions(ListSessions(limit=100)).items
    for at, session in enumerate(sessions):
        events = service.list_events(ListEvents(session=session.id, documents=True)).items
        words = re.split(r"\s+", getattr(events[at % len(events)], "text"))  # noqa: B009
        start = (at * 7) % max(len(words) - 4, 1)
        length = at % 4 + 1
        found.append({"session": session.id, "query": " ".join(words[start : start + length])})
    common = ["the", "file", "error", "the file", "AI", '"quoted"', "a OR b", "NEAR(the)", "the*", "...", "nosuchword"]
    return found + [{"session": sessions[at].id, "query": query} for at, query in enumerate(common)]


def _all(search: Any, request: Any, **given: Any) -> list[Any]:
    items: list[Any] = []
    cursor = None
    while True:
        page = search(request(limit=100, cursor=cursor, **given))
        items += page.items
        if (cursor := page.next_cursor) is None:
            return items


def _answer(service: QueryService, query: str, session: str) -> dict[str, list[list[object]]]:
    sessions = _all(service.search_sessions, SearchSessions, query=query)
    events = _all(service.search_events, SearchEvents, query=query, session=session)
    return {
        "sessions": [[hit.session.id, hit.best.seq, hit.best.surface, hit.best.snippet] for hit in sessions],
        "events": [[hit.seq, hit.surface, hit.snippet] for hit in events],
    }


def test_the_same_hits_in_the_same_order(installed: Path, store: Path, ours: QueryService, tmp_path: Path) -> None:
    asked = _queries(ours)
    questions, answers = tmp_path / "queries.json", tmp_path / "answers.json"
    questions.write_text(json.dumps(asked), encoding="utf-8")
    node = installed / "node_modules" / "node" / "bin" / "node"
    given = [str(node), "search.mjs", str(store), str(tmp_path / "dsh.db"), str(questions), str(answers)]
    subprocess.run(given, cwd=installed, check=True, timeout=300)
    theirs = json.loads(answers.read_text(encoding="utf-8"))
    assert len(theirs) == len(asked)
    differences = {
        one["query"]: (mine, their)
        for one, their in zip(asked, theirs, strict=True)
        if (mine := _answer(ours, one["query"], one["session"])) != their
    }
    assert differences == {}
    assert sum(len(their["sessions"]) for their in theirs) > 200
