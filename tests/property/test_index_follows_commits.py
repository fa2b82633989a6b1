"""Whichever commit is checked out after which, in one clone with one index: answers are those of a new index."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import msgspec
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from backstory.engine.project import access as use
from backstory.engine.project import search as project_search
from backstory.store.project.database import ProjectStore
from tests.fakes.project_tree import Tree, module

WORDS = ("cursor", "retry", "socket", "ledger")
PATHS = ("src/cursor.py", "src/retry.py", "build/socket.py", "tests/test_cursor.py", "README.md")
REQUESTS = (*WORDS, "retry the socket", "cursor of the ledger", "`socket`")
PAST = (
    "SELECT id - (SELECT min(id) FROM commits), hash, files FROM commits ORDER BY id",
    "SELECT commit_id - (SELECT min(id) FROM commits), path FROM commit_files ORDER BY 1, 2",
    "SELECT path, score FROM recency ORDER BY path",
    "SELECT path, hash, status, tracked, modified FROM files ORDER BY path",
)

steps = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(WORDS)),
    st.tuples(st.just("remove"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("branch"), st.just(""), st.just("")),
    st.tuples(st.just("merge"), st.just(""), st.just("")),
)


class Clone(Tree):
    """A repository in which time goes by with each commit."""

    seconds = 1_700_000_000

    def do(self, kind: str, what: str, other: str) -> None:
        """One step, as a commit where it changes anything."""
        place = self.root / what
        if kind == "write":
            old = place.read_text(encoding="utf-8") if place.exists() else ""
            self.write(what, old + module(f"{other}_{len(old)}", f"{other} and nothing else"))
        elif kind == "remove" and place.is_file():
            place.unlink()
        elif kind == "move" and place.is_file():
            self.write(other, place.read_bytes())
            if what != other:
                place.unlink()
        elif kind == "branch":
            self.git("branch", "-f", "side")
        elif kind == "merge" and self.git("branch", "--list", "side").strip():
            # Both sides go on, and the branch that is merged has the older commit.
            self.git("checkout", "-q", "side")
            self.save("retry on the side")
            self.git("checkout", "-q", "main")
            self.save("ledger of the main line")
            self.git("merge", "-q", "--no-ff", "-X", "ours", "-m", "Merge the side", "side")
        if kind in ("write", "remove", "move"):
            self.save(f"{kind} {what} {other}")

    def save(self, message: str) -> None:
        """A commit, even of nothing."""
        self.seconds += 60
        with mock.patch.dict(os.environ, {"GIT_COMMITTER_DATE": f"{self.seconds} +0000"}):
            self.git("add", "-A")
            self.git("commit", "-q", "--allow-empty", "-m", message)


@contextmanager
def clone() -> Iterator[Clone]:
    folder = tempfile.mkdtemp()
    try:
        yield Clone(Path(folder))
    finally:
        shutil.rmtree(folder)


def told(project: use.Project) -> list[object]:
    """All answers of an index, after a look at the files, and the rows behind them."""
    answers: list[object] = [project_search.search(project, request) for request in REQUESTS]
    with ProjectStore(str(project.database)) as store:
        return answers + [store.rows(sql) for sql in PAST]


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@example(
    made=[("write", PATHS[0], "cursor"), ("branch", "", ""), ("write", PATHS[1], "retry"), ("merge", "", "")],
    visits=[2, 1, 3, 4, 0],
)
@example(
    made=[("write", PATHS[0], "cursor"), ("move", PATHS[0], PATHS[1]), ("remove", PATHS[1], ""), ("write", *PATHS[:2])],
    visits=[0, 1, 2, 3, 1, 0, 3],
)
@given(made=st.lists(steps, min_size=2, max_size=9), visits=st.lists(st.integers(0, 40), min_size=2, max_size=6))
def test_an_index_that_was_led_from_commit_to_commit_answers_like_a_new_one(
    made: list[tuple[str, str, str]], visits: list[int]
) -> None:
    with clone() as tree:
        tree.save("Begin")
        for step in made:
            tree.do(*step)
        commits = tree.git("rev-list", "--reverse", "--topo-order", "--all").split()
        for number, visit in enumerate(visits):
            tree.git("checkout", "-q", "--detach", commits[visit % len(commits)])
            new = msgspec.structs.replace(tree.project, database=tree.root.parent / f"new{number}.db")
            assert told(tree.project) == told(new)
