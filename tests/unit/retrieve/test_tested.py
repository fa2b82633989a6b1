"""Files move up where tests named after them speak of a request; the two best and those far down stay."""

import pytest

from backstory.retrieve.project.scores import Signals
from backstory.retrieve.project.tested import REACH, TESTED_SHARE, subject, with_tested


def ranked(*paths: str, test: str = "tests/test_cursor.py", text: float = 4.0) -> list[tuple[Signals, float]]:
    """Files with falling scores, and after them a test that holds so much text."""
    found = [(Signals(number, path, [], [4.0]), 1.0 - number / 50) for number, path in enumerate(paths)]
    return [*found, (Signals(len(paths), test, [], [text]), 0.1)]


def order(scored: list[tuple[Signals, float]]) -> list[str]:
    return [item.path for item, _ in with_tested(scored)]


def test_what_tests_speak_of_moves_up_behind_the_two_best() -> None:
    assert order(ranked("a.py", "b.py", "c.py", "src/cursor.py"))[:4] == ["a.py", "b.py", "src/cursor.py", "c.py"]
    assert order(ranked("src/cursor.py", "b.py", "c.py"))[:3] == ["src/cursor.py", "b.py", "c.py"]
    silent = ranked("a.py", "b.py", "c.py", "src/cursor.py", text=0.0)
    assert order(silent) == [item.path for item, _ in silent]


def test_files_far_down_stay_where_they_are() -> None:
    paths = [f"{number}x.py" for number in range(REACH)]
    assert order(ranked(*paths, "src/cursor.py"))[REACH] == "src/cursor.py"


def test_documents_tests_and_short_names_gain_nothing() -> None:
    for path, test in (("docs/cursor.md", "tests/test_cursor.py"), ("io.py", "tests/test_io.py")):
        assert order(ranked("a.py", "b.py", "c.py", path, test=test))[3] == path


def test_a_gain_is_divided_among_files_of_one_name() -> None:
    def gain(*paths: str) -> float:
        scored = ranked("a.py", "b.py", *paths)
        return {item.path: score for item, score in with_tested(scored)}["x/cursor.py"] - scored[2][1]

    assert gain("x/cursor.py") == pytest.approx(TESTED_SHARE)
    assert gain("x/cursor.py", "y/cursor.py") == pytest.approx(TESTED_SHARE / 2)


@pytest.mark.parametrize(
    "path",
    ["test_cursor.py", "a/cursor_test.go", "cursor.spec.ts", "cursor.test.tsx", "CursorTest.java", "CursorTests.cs"],
)
def test_a_test_is_named_after_what_it_tests(path: str) -> None:
    assert subject(path) == "cursor"
