"""Cursors: good for one request over one state of one database, and nothing else."""

from base64 import urlsafe_b64encode
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backstory.errors import InvalidCursorError, StaleCursorError
from backstory.records.paging import VERSION, Cursor, Key, Pages, Slice, encode, fingerprint, position

HERE = Cursor(VERSION, "database", "entries", fingerprint(("query", 10)), "7", 0)


@given(offset=st.integers(0, 1 << 31))
def test_a_cursor_comes_back_as_its_offset(offset: int) -> None:
    assert position(encode(msgspec.structs.replace(HERE, offset=offset)), HERE) == (offset, None)


@given(count=st.integers(0, 30), limit=st.integers(1, 9))
def test_pages_give_every_item_once_and_the_last_one_leads_nowhere(count: int, limit: int) -> None:
    pages, items, given, cursor = Pages(HERE, limit), list(range(count)), list[list[int]](), None
    while not given or cursor is not None:
        part = pages.part(cursor)
        found = items[part.offset : part.offset + part.limit]
        given.append(found[:limit])
        cursor = pages.following(part, found)
    assert given == [items[at : at + limit] for at in range(0, max(count, 1), limit)]


def test_where_an_order_has_keys_the_next_page_goes_on_behind_that_of_the_last_item() -> None:
    pages = Pages(HERE, 2)
    keys: list[Key] = [(1, 1, "a", 1, 1), (2, 2, "b", 2, 2), (3, 3, "c", 3, 3)]
    first = pages.part(None)
    assert (first, first.skipped) == (Slice(0, 3), 0)
    second = pages.part(pages.following(first, "abc", keys))
    assert (second, second.skipped) == (Slice(2, 3, keys[1]), 0)
    assert pages.part(pages.following(first, "abc")).skipped == 2


def test_a_cursor_that_is_no_text_is_refused() -> None:
    given: Any = 7
    with pytest.raises(InvalidCursorError):
        Pages(HERE, 2).part(given)


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
        position(encode(msgspec.structs.replace(HERE, **change)), HERE)


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
        position(text, HERE)


def test_a_cursor_is_short() -> None:
    long = Cursor(VERSION, "d" * 500, "s" * 500, "f" * 500, "g" * 500, 1 << 31)
    assert len(encode(long)) < 80


def test_requests_that_differ_have_different_fingerprints() -> None:
    assert len({fingerprint(one) for one in (("a", 1), ("a", 2), ("b", 1), ("a", 1, None))}) == 4
