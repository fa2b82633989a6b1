"""What reaches a terminal: no control that a log holds, and no letter lost from JSON."""

import io
import json

import pytest

from backstory.surfaces.cli.terminal import Terminal, harmless
from backstory.text.charts import columns


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain\n\ttext é 日", "plain\n\ttext é 日"),
        ("\x1b]0;title\x07", "\ufffd]0;title\ufffd"),
        ("a\x1b[2Jb\x9b31m\x7f\0", "a\ufffd[2Jb\ufffd31m\ufffd\ufffd"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("rm \u202etxt.sh\u202c \u2066x\u2069", "rm \ufffdtxt.sh\ufffd \ufffdx\ufffd"),
        ("one\r\ntwo\rthree", "one\ntwo\ufffdthree"),
    ],
)
def test_controls_in_logs_do_not_steer_a_terminal(given: str, shown: str) -> None:
    assert harmless(given, styles=False) == shown


def test_our_own_styles_stay_where_colour_is_wanted() -> None:
    assert harmless("\x1b[1;31mred\x1b[0m\x1b[5m", styles=True) == "\x1b[1;31mred\x1b[0m\ufffd[5m"


class Tty(io.StringIO):
    """A terminal that nobody can ask for its size."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [20, 60, 120])
def test_the_progress_line_never_wraps_and_is_taken_away(width: int) -> None:
    err = Tty()
    terminal = Terminal(io.StringIO(), err, {"COLUMNS": str(width)})
    terminal.progress(quiet=False)(12_345, 98_765, 4_321_000_000, 9_876_000_000)
    terminal.clear_progress()
    first, shown, last = err.getvalue().split("\r\x1b[2K")
    assert (first, last) == ("", "")
    assert shown.startswith("reading")
    assert columns(shown) < width
    assert ("98765 files" in shown) == (width > 20)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_keeps_every_letter_in_any_encoding(encoding: str) -> None:
    raw = io.BytesIO()
    text = json.dumps({"text": "naïve 日本 😀 \x9b31m \u202etxt"}, ensure_ascii=False)
    terminal = Terminal(io.TextIOWrapper(raw, encoding=encoding), io.StringIO(), {})
    terminal.data(text)
    written = raw.getvalue().decode(encoding)
    assert json.loads(written) == json.loads(text)
    assert not {"\x9b", "\u202e"} & set(written)


def test_answers_and_complaints_are_harmless() -> None:
    out, err = io.StringIO(), io.StringIO()
    terminal = Terminal(out, err, {})
    terminal.page("title \x1b]52;c;eA==\x07\n")
    terminal.complain("/x/\x1b[31m: unreadable")
    assert "title" in out.getvalue()
    assert "unreadable" in err.getvalue()
    assert "\x1b" not in out.getvalue() + err.getvalue()


def test_a_complaint_fits_a_terminal_and_is_one_line_elsewhere() -> None:
    told = "no session is called 'p1'; backstory sessions lists those that are known [SESSION_NOT_FOUND]"
    narrow, piped = Tty(), io.StringIO()
    Terminal(io.StringIO(), narrow, {"COLUMNS": "60"}).complain(told)
    Terminal(io.StringIO(), piped, {"COLUMNS": "60"}).complain(told)
    assert piped.getvalue() == f"backstory: {told}\n"
    assert narrow.getvalue().split() == piped.getvalue().split()
    assert max(map(columns, narrow.getvalue().splitlines())) <= 60
