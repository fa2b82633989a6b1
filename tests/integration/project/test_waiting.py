"""A search that may take its time waits while another process brings the index up to date."""

import time
from pathlib import Path

import pytest

from backstory.index.project_job import LEASE
from backstory.store.project import lease
from backstory.store.project.database import ProjectStore
from tests.fakes.project_tree import Tree, module


@pytest.mark.parametrize("given_back", [True, False])
def test_a_first_search_waits_for_another_look_at_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, given_back: bool
) -> None:
    tree = Tree(tmp_path)
    tree.write("src/cursor.py", module("validate_cursor", "pages"))
    waited: list[float] = []
    with ProjectStore(str(tree.project.database)) as store:
        held = lease.acquire(store, LEASE, "other", tree.time)
        assert held is not None

        def wait(seconds: float) -> None:
            waited.append(seconds)
            if given_back and len(waited) == 3:
                lease.release(store, held)

        monkeypatch.setattr(time, "sleep", wait)
        monkeypatch.setattr(time, "monotonic", lambda: sum(waited))
        found = tree.search("validate the cursor of a page", fresh=True)
    assert bool(found.files) == given_back
    assert found.warnings == (() if given_back else ("another process is indexing this project",))
    assert len(waited) == 3 if given_back else sum(waited) > 9
