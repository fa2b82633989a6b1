"""Another process replaces or removes what we are about to use: we wait for it, look again, or say so."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.engine.artifacts import remake
from backstory.engine.host.tools import scope
from backstory.engine.open import Engine
from backstory.engine.project import access
from backstory.engine.project import browse as project_browse
from backstory.engine.state.open_project import OpenProject
from backstory.errors import UntrustedProjectError
from backstory.store import browse
from backstory.store.folder import moving
from backstory.store.objects import Objects
from backstory.store.project import contents
from backstory.store.project.database import ProjectStore, readable
from tests.fakes import logs
from tests.fakes.host import FakeHost
from tests.fakes.indexed import indexed
from tests.fakes.project_tree import Tree


def drop(engine: Engine) -> None:
    """Removes every session from the index, as another process may."""
    keys = [key for (key,) in engine.history.rows("SELECT key FROM sessions")]
    with engine.history.write("a test"):
        for key in keys:
            browse.forget(engine.history, key)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """An index of one session with a large tool result."""
    rows = [logs.pi_header("s1"), logs.pi_entry(0, "run it"), logs.pi_result(1, "row of data\n" * 3_000)]
    log = tmp_path / "s1.jsonl"
    log.write_bytes(logs.lines(rows))
    with indexed(tmp_path / "data", log) as made:
        yield made


def test_a_tool_result_is_kept_in_the_folder_that_comes(tmp_path: Path) -> None:
    place = tmp_path / "derived"
    objects = Objects(str(place))
    first = objects.put(b"first")
    made: list[str] = []
    for keep in (lambda: made.append(objects.put(b"second")), lambda: made.append(objects.state(first))):
        keeping = threading.Thread(target=keep)
        with moving(str(place)):
            place.rename(tmp_path / "derived.old")
            (tmp_path / "derived.old").rename(place)
            keeping.start()
            keeping.join(0.2)
            assert keeping.is_alive()
        keeping.join(20)
    assert made[1] == "ok"
    assert objects.get(made[0]) == b"second"


def test_tool_results_whose_folder_goes_while_they_are_counted_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = Objects(str(tmp_path))
    folder = objects.path(objects.put(b"kept")).parent
    assert len(list(objects.digests())) == 1
    scandir = os.scandir

    def gone(place: Any) -> Any:
        if Path(place) == folder:
            folder.rename(tmp_path / "elsewhere")
        return scandir(place)

    monkeypatch.setattr(os, "scandir", gone)
    assert list(objects.digests()) == []


def test_a_draft_that_a_killed_process_of_our_number_left_is_written_over(tmp_path: Path) -> None:
    objects = Objects(str(tmp_path))
    path = objects.path(objects.put(b"kept"))
    path.rename(path.with_name(f"{path.name}.{os.getpid()}.draft"))
    objects.put(b"kept")
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_tool_results_of_a_session_that_goes_meanwhile_are_not_made_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    origins = remake.origins(engine)
    names = [id_ for id_, _, _ in origins]
    assert remake.again(engine, names) == 1
    found = list(remake.origins(engine))
    drop(engine)
    monkeypatch.setattr(remake, "origins", lambda _: iter(found))
    assert remake.again(engine, names) == 0


def test_a_reference_to_a_session_that_goes_meanwhile_is_refused(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = FakeHost(engine, tmp_path)
    host.say("why does parse_request fail for empty input?")
    host.say("it raises ValueError in src/api/parser.py", "assistant")
    host.say("fix it")
    [hit] = host.tool("context_history_recall", query="src/api/parser.py").data["hits"]

    def reached(*_: object) -> bool:
        drop(engine)
        return True

    monkeypatch.setattr(scope, "reaches", reached)
    assert host.tool("context_history_read", sourceRef=hit["sourceRef"]).data["errorCode"] == "source-changed"


def test_a_project_index_replaced_while_it_is_opened_is_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "projects" / "one.db", tmp_path / "projects" / "two.db"
    ProjectStore(str(other)).close()
    real = ProjectStore.__init__

    def replaced(self: ProjectStore, *args: Any, **more: Any) -> None:
        real(self, *args, **more)
        other.replace(path)

    kept, project = OpenProject(), access.Project(tmp_path, path)
    with monkeypatch.context() as patch:
        patch.setattr(ProjectStore, "__init__", replaced)
        first = kept.store(str(path), project.open)
    assert not first.stands()
    second = kept.store(str(path), project.open)
    assert second is not first
    assert second.stands()
    assert kept.store(str(path), project.open) is second
    kept.close()


def test_the_state_of_a_project_whose_index_goes_meanwhile_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = Tree(tmp_path)
    place = access.database(tree.home, tree.root)
    access.index(access.Project(tree.root, place))

    def gone(_: ProjectStore) -> dict[str, int]:
        place.unlink()
        return {}

    monkeypatch.setattr(contents, "exclusions", gone)
    assert access.status(tree.home, tree.root, trusted=True).database_bytes == 0


@pytest.mark.parametrize(
    "use", [access.index, lambda project: project_browse.files(project, "", 9)], ids=["index", "files"]
)
def test_of_a_project_that_is_not_trusted_any_more_no_index_is_left(
    tmp_path: Path, use: Callable[[access.Project], object]
) -> None:
    tree = Tree(tmp_path)
    access.trust(tree.home, tree.root, trusted=True)
    project = access.opened(tree.home, tree.root)
    access.trust(tree.home, tree.root, trusted=False)
    access.delete(tree.home, tree.root)
    with pytest.raises(UntrustedProjectError):
        use(project)
    assert not project.database.exists()
    assert not access.status(tree.home, tree.root).hosted


def test_trust_taken_back_while_a_project_is_looked_at_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree(tmp_path)
    access.trust(tree.home, tree.root, trusted=True)
    access.index(access.opened(tree.home, tree.root))

    def taken_back(path: str) -> ProjectStore:
        access.trust(tree.home, tree.root, trusted=False)
        access.delete(tree.home, tree.root)
        return readable(path)

    monkeypatch.setattr("backstory.store.project.database.readable", taken_back)
    told = access.status(tree.home, tree.root)
    assert (told.trust, told.hosted) == ("untrusted", False)
