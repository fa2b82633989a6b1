"""The bytes of a chunk are its lines, whatever a file is made of; a file that is not shown as it is keeps none."""

from codecs import BOM_UTF8

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.index.project_file import content

LINE = st.sampled_from(["", "x = 1", "def grüße():", "    return '日本'", "\r", "é\r", "# 😀", "class A:", "\tb"])


@given(st.lists(LINE, max_size=12), st.integers(1, 40), st.sampled_from([b"", BOM_UTF8]))
def test_the_bytes_of_a_chunk_are_those_of_its_lines(lines: list[str], times: int, mark: bytes) -> None:
    data = "\n".join(lines * times).encode()
    made, _ = content("a.py", mark + data)
    assert made is not None
    split = data.split(b"\n")
    for chunk in made.chunks:
        assert chunk.stop
        assert data[chunk.begin : chunk.stop] == b"\n".join(split[chunk.start - 1 : chunk.end])


@pytest.mark.parametrize(
    "line",
    [
        b"[ds4:private] secret [/ds4:private]",
        b"url = 'https://user:Sw0rdf1sh99x@example.org/'",
        b"broken = '\xff'",
    ],
)
def test_a_file_that_is_not_shown_as_it_is_keeps_no_bytes(line: bytes) -> None:
    made, _ = content("a.py", b"x = 1\n" * 30 + line + b"\n")
    assert made is not None
    assert [chunk.stop for chunk in made.chunks] == [0]
