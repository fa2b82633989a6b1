"""Cursors: good for one request over one state of one database, and nothing else."""

from base64 import urlsafe_b64encode
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backstory.errors import InvalidCursorError, StaleCursorError
from backstory.records.paging import VERSION, Cursor, Key, encode, fingerprint, position, resume

HERE = Cursor(VERSION, "database", "entries", fingerprint(("query", 10)), "7", 0)


@given(offset=st.integers(0, 1 << 31))
def test_a_cursor_comes_back_as_its_offset(offset: int) -> None:
    assert resume(encode(msgspec.structs.replace(HERE, offset=offset)), HERE) == offset


WIDE = st.integers(-(1 << 62), 1 << 62)


@given(offset=st.integers(0, 1 << 31), after=st.tuples(WIDE, WIDE, st.text(max_size=50), WIDE, WIDE))
def test_a_cursor_comes_back_with_its_key(offset: int, after: Key) -> None:
    assert position(encode(msgspec.structs.replace(HERE, offset=offset, after=after)), HERE) == (offset, after)


def test_a_key_that_would_make_a_cursor_long_is_left_out() -> None:
    long = msgspec.structs.replace(HERE, offset=7, after=(0, 0, "x" * 201, 0, 0))
    assert position(encode(long), HERE) == (7, None)


@pytest.mark.parametrize("at", [0, 1, 3, 4])
@pytest.mark.parametrize("value", [-(1 << 63), (1 << 62) + 1])
def test_a_key_that_no_row_can_have_is_refused(at: int, value: int) -> None:
    after: Any = tuple("s" if here == 2 else value if here == at else 0 for here in range(5))
    with pytest.raises(InvalidCursorError):
        position(encode(msgspec.structs.replace(HERE, after=after)), HERE)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"instance": "other"}, InvalidCursorError),
        ({"scope": "sessions"}, InvalidCursorError),
        ({"fingerprint": "x"}, InvalidCursorError),
        ({"version": VERSION + 1}, InvalidCursorError),
        ({"offset": -1}, InvalidCursorError),
        ({"offset": 1 << 60}, InvalidCursorError),
        ({"generation": "8"}, StaleCursorError),
        ({"generation": "8", "instance": "other"}, InvalidCursorError),
    ],
)
def test_a_cursor_of_something_else_is_refused(change: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        resume(encode(msgspec.structs.replace(HERE, **change)), HERE)


def raw(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def packed(*values: object) -> str:
    return raw(msgspec.msgpack.encode(values))


PARTS = st.one_of(st.integers(-1, VERSION), st.binary(max_size=9), st.text(max_size=9), st.none())


@given(text=st.one_of(st.text(), st.binary().map(raw), st.lists(PARTS, max_size=8).map(lambda parts: packed(*parts))))
@example(text=raw(b"\x91" * 700))
@example(text=raw(b"\x91" * 100_000))
@example(text=raw(b'{"version":1,"instance":"database"}'))
@example(text=packed(VERSION, b"12345678", b"12345678", None, b"12345678", 0))
@example(text=packed(VERSION, b"12345678", b"12345678", b"12345678", b"12345678", 0, b"\x91" * 600))
@example(text="\udcff")
@example(text=encode(HERE)[:-3])
@example(text=encode(HERE) * 9)
def test_anything_else_is_refused_as_damaged(text: str) -> None:
    with pytest.raises(InvalidCursorError):
        resume(text, HERE)


def test_a_cursor_is_short() -> None:
    long = Cursor(VERSION, "d" * 500, "s" * 500, "f" * 500, "g" * 500, 1 << 31)
    assert len(encode(long)) < 80


def test_requests_that_differ_have_different_fingerprints() -> None:
    assert len({fingerprint(one) for one in (("a", 1), ("a", 2), ("b", 1), ("a", 1, None))}) == 4
