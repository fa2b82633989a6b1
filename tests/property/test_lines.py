"""Lines that are made to fit lose no word, and are wider than the terminal only where one word is."""

from hypothesis import given
from hypothesis import strategies as st

from backstory.text.charts import ELLIPSIS, beginning, clipped, columns, ending, hung

WIDTHS = st.integers(10, 120)
WORDS = st.text(alphabet="abcé漢字/.-\u0301", min_size=1, max_size=30)
LINES = st.builds("".join, st.lists(st.one_of(WORDS, st.sampled_from([" ", "  ", "    "])), max_size=30))


@given(LINES, WIDTHS)
def test_a_hung_line_holds_the_same_words(line: str, width: int) -> None:
    shown = hung(line, width)
    assert "".join(shown.split()) == "".join(line.split())
    assert [one for one in shown.split("\n") if columns(one) > width and " " in one.strip()] == []


@given(LINES, WIDTHS)
def test_a_cut_text_fits_and_says_that_it_was_cut(line: str, width: int) -> None:
    for cut, whole in ((clipped(line, width), " ".join(line.split())), (beginning(line, width), line)):
        assert columns(cut) <= width
        assert cut == whole or cut.endswith(ELLIPSIS)
    cut = ending(line, width)
    assert columns(cut) <= width
    assert cut == line or (cut.startswith(ELLIPSIS) and line.endswith(cut[1:]))
