"""Measuring search on the past of a repository: what asks, what is true, and that no answer is known yet."""

from pathlib import Path
from typing import Any

import pytest

from backstory.engine.project import access as use
from backstory.engine.project import evaluate
from backstory.engine.project import search as project_search
from backstory.project.discover import ProjectLimits
from backstory.records.project import SearchResult
from backstory.store.project.database import ProjectStore
from tests.fakes.project_tree import Tree, module


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.write("src/http/client.py", module("sendRequest", "requests retries"))
    for number in range(8):
        made.write(f"src/other{number}.py", module(f"other_{number}", f"unrelated matter{number}"))
    made.commit("Everything")
    return made


def test_evaluation_asks_about_the_past(tree: Tree) -> None:
    for number in range(6):
        tree.write(f"src/other{number}.py", module(f"other_{number}", f"unrelated matter{number}") + "# more\n")
        tree.commit(f"Say more about matter{number} in other_{number}")
    report = evaluate.evaluate(tree.project, commits=5)
    assert report.overall.queries == report.in_place.queries == 5
    assert report.overall.acc1 == 1.0
    assert report.overall.any10 == 1.0
    assert report.overall.card_hunks == 1.0
    assert set(report.languages) == {"python"}


def test_evaluation_of_a_folder_within_a_repository_asks_about_that_folder(tree: Tree) -> None:
    for number in range(3):
        tree.write(f"src/other{number}.py", module(f"other_{number}", f"unrelated matter{number}") + "# more\n")
        tree.commit(f"Say more about matter{number} in other_{number}")
    tree.write("tools/build.py", module("build", "wheels"))
    tree.commit("Build wheels")
    tree.write("tools/build.py", module("build", "wheels of all kinds"))
    tree.commit("Build wheels of all kinds")
    folder = use.Project(tree.root / "src", tree.root.parent / "src.db", ProjectLimits(), lambda: tree.time)
    report = evaluate.evaluate(folder, commits=9)
    assert report.overall.queries == report.in_place.queries == 3
    assert report.overall.acc1 == report.overall.any10 == 1.0


def test_evaluation_knows_what_git_tracks(tree: Tree) -> None:
    tree.write(".gitignore", "kept/\n")
    for path in ("build/builder.py", "kept/keeper.py"):
        tree.write(path, module(Path(path).stem, "shards"))
        tree.git("add", "-f", path)
        tree.commit(f"Add {path}")
        tree.write(path, module(Path(path).stem, "shards") + "# more\n")
        tree.commit(f"Say more in {Path(path).stem}")
    report = evaluate.evaluate(tree.project, commits=9)
    assert (report.overall.queries, report.overall.acc1, report.overall.card_hunks) == (2, 1.0, 1.0)


def test_evaluation_tells_apart_what_changed_in_place(tree: Tree) -> None:
    tree.write("src/http/client.py", (tree.root / "src/http/client.py").read_text(encoding="utf-8") + "# more\n")
    tree.write("src/fresh.py", module("fresh", "nothing like it"))
    tree.commit("Let the client send a request afresh")
    tree.write("src/http/client.py", (tree.root / "src/http/client.py").read_text(encoding="utf-8") + "# and more\n")
    tree.commit("Say more of how the client sends a request")
    report = evaluate.evaluate(tree.project, commits=9)
    assert (report.overall.queries, report.in_place.queries) == (2, 1)


def test_evaluation_asks_about_merged_branches_and_knows_ancestors_alone(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def say(number: int, words: str) -> None:
        tree.write(f"src/other{number}.py", module(f"other_{number}", words))
        tree.commit(f"Teach other_{number} about {words}")

    tree.git("checkout", "-q", "-b", "side")
    say(1, "anchors")
    tree.git("checkout", "-q", "-")
    say(2, "buoys")
    tree.git("merge", "-q", "--no-ff", "-m", "Merge the side", "side")
    say(3, "chains")
    known: list[set[str]] = []

    def noted(copy: use.Project, store: ProjectStore, text: str, **rest: Any) -> SearchResult:
        known.append({name for (name,) in store.rows("SELECT hash FROM commits")})
        return project_search.search_in(copy, store, text, **rest)

    monkeypatch.setattr("backstory.engine.project.evaluate.search_in", noted)
    assert evaluate.evaluate(tree.project, commits=9).overall.queries == 3
    assert [len(names) for names in known] == [1, 1, 3]
