"""Texts of a log on a terminal: prose fits, what has to be copied stays whole."""

import pytest

from backstory.surfaces.cli.views.texts import indented
from backstory.text.charts import columns
from tests.fakes.terminals import terminal

SENTENCE = "the worker hands a job out twice while the second connection waits for the lock of the first"
CODE = f"```python\nraise LockedError('{SENTENCE}')\n```"
TEXT = f"{SENTENCE}\n\n1. {SENTENCE}\n   - {SENTENCE}\n\n{CODE}\n| {SENTENCE} | 1 |\n{SENTENCE}\n"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_prose_fits_and_code_and_tables_stay_whole(width: int) -> None:
    shown = indented(TEXT, "message", terminal(width))
    wide = [line for line in shown.split("\n") if columns(line) > min(width, 120)]
    assert wide == [f"    {line}" for line in TEXT.split("\n") if line.startswith(("raise", "|")) and width < 120]
    assert shown.split() == TEXT.split()


def test_what_follows_in_a_list_item_stands_below_its_first_word() -> None:
    shown = indented(f"12. {SENTENCE}\n- {SENTENCE}", "prompt", terminal(60)).split("\n")
    assert [line[:8] for line in shown] == ["    12. ", "        ", "    - th", "      co"]


def test_what_a_tool_printed_and_what_a_pipe_gets_is_as_it_stands() -> None:
    whole = "\n".join(f"    {line}" if line else "" for line in TEXT.rstrip().split("\n"))
    assert indented(TEXT, "tool-result", terminal(40)) == whole
    assert indented(TEXT, "message", terminal(None)) == whole
