"""What is kept of a project between two calls is used as long as it holds, and no longer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.engine.project import access as use
from backstory.engine.project import search as project_search
from backstory.engine.project import verified
from backstory.engine.state.open_project import OpenProject
from backstory.records.project import SourceEvidence
from backstory.retrieve.project import ranking
from backstory.store.project import search as project_search_rows
from backstory.store.project.database import ProjectStore
from backstory.store.project.search import ProjectSearch
from tests.fakes.project_tree import Tree, module

ASKED = "validate the cursor of a page"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.write("src/cursor.py", module("validate_cursor", "pages cursor validation"))
    made.write("src/pages.py", module("next_page", "pages paging cursor"))
    for number in range(8):
        made.write(f"src/other{number}.py", module(f"other_{number}", f"unrelated matter{number}"))
    made.commit("Everything")
    made.index()
    return made


@pytest.fixture
def kept() -> Iterator[OpenProject]:
    made = OpenProject()
    yield made
    made.close()


@pytest.fixture
def ranked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests that were ranked, one after the other."""
    asked: list[str] = []

    def rank(*args: object, **options: object) -> ranking.Ranking:
        asked.append(str(args[1]))
        return ranking.rank(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(verified, "rank", rank)
    return asked


def found(tree: Tree, kept: OpenProject | None, text: str = ASKED, budget: int = 2_000) -> tuple[SourceEvidence, ...]:
    return project_search.evidence(tree.project, text, budget=budget, kept=kept)[0]


def test_the_same_request_is_ranked_once(tree: Tree, kept: OpenProject, ranked: list[str]) -> None:
    first = found(tree, kept)
    assert first
    assert found(tree, kept) == first == found(tree, None)
    assert ranked == [ASKED, ASKED]


def test_another_request_or_room_is_ranked(tree: Tree, kept: OpenProject, ranked: list[str]) -> None:
    found(tree, kept)
    assert found(tree, kept, "next page of pages") == found(tree, None, "next page of pages")
    assert found(tree, kept, budget=100) == found(tree, None, budget=100)
    assert len(ranked) == 5


def test_a_file_that_changed_is_shown_as_it_is_now(tree: Tree, kept: OpenProject) -> None:
    found(tree, kept)
    tree.write("src/cursor.py", module("validate_cursor", "pages cursor validation again"))
    now = found(tree, kept)
    assert any("again" in one.text for one in now if one.path == "src/cursor.py")
    assert now == found(tree, None)


def test_a_file_that_is_gone_is_left_out(tree: Tree, kept: OpenProject) -> None:
    found(tree, kept)
    (tree.root / "src/cursor.py").unlink()
    now = found(tree, kept)
    assert "src/cursor.py" not in {one.path for one in now}
    assert now == found(tree, None)


def test_what_another_connection_indexed_is_found(tree: Tree, kept: OpenProject) -> None:
    found(tree, kept)
    tree.write("src/page_cursor.py", module("validate_page_cursor", "validate cursor page"))
    tree.index()
    now = found(tree, kept)
    assert "src/page_cursor.py" in {one.path for one in now}
    assert now == found(tree, None)


def test_an_index_that_was_made_anew_is_opened_again(tree: Tree, kept: OpenProject) -> None:
    found(tree, kept)
    for name in ("", "-wal", "-shm"):
        Path(f"{tree.project.database}{name}").unlink(missing_ok=True)
    tree.write("src/page_cursor.py", module("validate_page_cursor", "validate cursor page"))
    use.index(tree.project)
    assert "src/page_cursor.py" in {one.path for one in found(tree, kept)}


def test_a_broken_index_is_not_kept(tree: Tree, kept: OpenProject) -> None:
    first = found(tree, kept)
    kept.store(str(tree.project.database), tree.project.open).close()
    assert found(tree, kept) == ()
    assert found(tree, kept) == first


def test_common_words_are_counted_once_until_a_file_is_written(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_search_rows, "COMMON", 2)
    with ProjectStore(str(tree.project.database)) as store:
        finder = ProjectSearch(store)
        assert finder.documents({"unrel", "page", "nowher"}) == {"unrel": 8, "page": 2}
        asked: list[str] = []
        rows = store.rows

        def noted(sql: str, args: object = ()) -> list[tuple[object, ...]]:
            asked.append(str(args))
            return rows(sql, args)

        monkeypatch.setattr(store, "rows", noted)
        assert ProjectSearch(store).documents({"unrel", "nowher"}) == {"unrel": 8}
        assert not any("unrel" in said for said in asked)
        assert any("nowher" in said for said in asked)
        tree.write("src/more.py", module("more", "unrelated nowhere"))
        tree.index()
        assert finder.documents({"unrel", "nowher"}) == {"unrel": 9, "nowher": 1}
