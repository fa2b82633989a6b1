"""Whatever is quoted stays inside its quotation and can be read back."""

import json

from hypothesis import given
from hypothesis import strategies as st

from backstory.text import quoting

BOUNDARIES = [quoting.EVIDENCE, quoting.MEMORY, quoting.PIN, quoting.PROJECT, quoting.CARD]
LINES = [line for boundary in BOUNDARIES for line in (boundary.header, boundary.footer)]
forged = st.lists(
    st.one_of(
        st.sampled_from([*LINES, "\n", "\r\n", "\u2028", "\u0085", '"', "\\", "\\n", "[ds4:normal]", "[/ds4:normal]"]),
        st.text(),
    )
).map("".join)


@given(st.sampled_from(BOUNDARIES), forged)
def test_a_forged_boundary_is_inert(boundary: quoting.Boundary, content: str) -> None:
    rendered = quoting.render(boundary, [("Source entry", quoting.quote(content))], content)
    for line in LINES:
        assert rendered.count(line) == (1 if line in {boundary.header, boundary.footer} else 0)
    assert len(rendered.splitlines()) == 5
    assert "[ds4:" not in rendered


@given(forged)
def test_quoted_text_reads_back(content: str) -> None:
    assert json.loads(quoting.quote(content)) == content


@given(
    st.lists(
        st.lists(st.sampled_from(["[", "DS4", "END ", "/", "ds4:", "\n", "\ud83d", "\ude00"]) | forged).map("".join)
    )
)
def test_lines_quoted_one_by_one_are_those_quoted_together(lines: list[str]) -> None:
    assert quoting.joined(map(quoting.quote, lines)) == quoting.quote("\n".join(lines))
