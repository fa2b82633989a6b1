import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.sources.decode import paired, typed, untyped


class Row(msgspec.Struct):
    text: str = ""


decoder = msgspec.json.Decoder(Row)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (rb'{"text":"a\ud83d"}', "a\ufffd"),
        (rb'{"text":"\udc00b"}', "\ufffdb"),
        (rb'{"text":"\ud83d\ude00"}', "\U0001f600"),
        (rb'{"text":"\ud83d\u0041"}', "\ufffdA"),
        (rb'{"text":"\\ud83d"}', "\\ud83d"),
        (rb'{"text":"\\\ud83d"}', "\\\ufffd"),
        (b'{"text":"a\xffb"}', "a\ufffdb"),
        (rb'{"other":"\ud83d","text":"kept"}', "kept"),
        ('{"text":"a\u2028b\u0085c"}'.encode(), "a\u2028b\u0085c"),
    ],
)
def test_bad_unicode_is_replaced(raw: bytes, text: str) -> None:
    row = typed(decoder, raw)
    assert row is not None
    assert row.text == text
    assert untyped(raw)["text"] == text


@pytest.mark.parametrize("raw", [b"[]", b'{"text":1}', b"3", b'"x"', b'{"text":1e999}', b"1e999"])
def test_json_of_another_shape_is_none(raw: bytes) -> None:
    assert typed(decoder, raw) is None


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b'{"text":"a', b'{"text":1', rb'{"text":"\ud8', b"\xff", b"[" * 100_000, b'{"a":' * 100_000, b"{} {}"],
)
def test_what_is_not_json_raises_a_decode_error(raw: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        typed(decoder, raw)
    with pytest.raises(msgspec.DecodeError):
        untyped(raw)


@given(st.text(st.characters()))
def test_pairing_changes_no_length_and_leaves_valid_text_alone(text: str) -> None:
    raw = json.dumps(text).encode()
    assert len(paired(raw)) == len(raw)
    msgspec.json.decode(paired(raw))
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert paired(raw) == raw
