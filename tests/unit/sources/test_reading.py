"""One pass over one log: damage costs the damaged record only, and a checkpoint says how to go on."""

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Self

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.errors import UnreadableSourceError
from backstory.records.checkpoint import Checkpoint
from backstory.records.session import Entry, Facts, Malformed
from backstory.sources import reading, registry
from backstory.sources.prints import continues, stamp
from backstory.sources.reading import Reading
from tests.fakes import logs

PI = registry.load("pi")


def read(
    path: Path, since: Checkpoint | None = None, facts: Facts | None = None
) -> tuple[list[str], list[Malformed], Reading]:
    reading = Reading(PI, str(path), since, facts)
    items = list(reading)
    texts = [item.draft.text for item in items if isinstance(item, Entry)]
    return texts, [item for item in items if isinstance(item, Malformed)], reading


def session(path: Path, *parts: bytes) -> Path:
    return logs.write(path, logs.line(logs.pi_header("s")) + b"".join(parts))


def entry(number: int, text: str) -> bytes:
    return logs.line(logs.pi_entry(number, text))


def bare(number: int, text: str) -> bytes:
    return entry(number, text).rstrip(b"\n")


TORN = b'{"type":"message","id":"t1","parentId":null,"message":{"role":"user","content":[{"type":"text","te'
DAMAGE = {
    "glued": (bare(0, "a") + entry(1, "b"), ["a", "b"], 0),
    "three glued": (bare(0, "a") + bare(1, "b") + entry(2, "c"), ["a", "b", "c"], 0),
    "glued with blanks": (bare(0, "a") + b" \t\r" + entry(1, "b"), ["a", "b"], 0),
    "glued to a torn one": (TORN + entry(1, "b"), ["b"], 1),
    "torn behind a whole one": (bare(0, "a") + TORN + b"\n" + entry(1, "b"), ["a", "b"], 1),
    "torn in the middle": (entry(0, "a") + TORN + b"\n" + entry(1, "b"), ["a", "b"], 1),
    "torn at the end": (entry(0, "a") + TORN, ["a"], 0),
    "nulls as a line": (entry(0, "a") + b"\0" * 500 + b"\n" + entry(1, "b"), ["a", "b"], 1),
    "nulls before a record": (entry(0, "a") + b"\0" * 500 + entry(1, "b"), ["a", "b"], 0),
    "nulls inside a line": (bare(0, "a") + b"\0" * 300 + entry(1, "b"), ["a", "b"], 0),
    "nulls at the end": (entry(0, "a") + b"\0" * 500, ["a"], 0),
    "blank lines": (b"\n \n\t\r\n" + entry(0, "a") + b"\n\n" + entry(1, "b"), ["a", "b"], 0),
    "carriage returns": (entry(0, "a").replace(b"\n", b"\r\n") + entry(1, "b").replace(b"\n", b"\r\n"), ["a", "b"], 0),
    "no last line feed": (entry(0, "a") + bare(1, "b"), ["a", "b"], 0),
    "separators in a string": (entry(0, "a\u2028b\u2029c\u0085d"), ["a\u2028b\u2029c\u0085d"], 0),
    "lone surrogate": (entry(0, "a").replace(b'"a"', b'"x\\ud99cy"'), ["x\ufffdy"], 0),
    "raw surrogate": (entry(0, "a").replace(b'"a"', b'"x\xed\xa0\x80y"'), ["x\ufffd\ufffd\ufffdy"], 0),
    "broken utf-8": (entry(0, "a").replace(b'"a"', b'"x\xffy"'), ["x\ufffdy"], 0),
    "not json": (b"hello there\n" + entry(0, "a"), ["a"], 1),
    "half a number": (b"{}garbage\n" + entry(0, "a"), ["", "a"], 1),
    "nested too deeply": (b"[" * 100_000 + b"\n" + entry(0, "a"), ["a"], 1),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_costs_the_damaged_record_only(tmp_path: Path, name: str) -> None:
    body, wanted, damaged = DAMAGE[name]
    texts, malformed, reading = read(session(tmp_path / "s.jsonl", body))
    assert (texts, len(malformed), reading.malformed) == (wanted, damaged, damaged)
    assert reading.facts.id == "s"


SHAPES = (
    b"null",
    b"1",
    b'"text"',
    b"[]",
    b"[1,2]",
    b"{}",
    b'{"type":1}',
    b'{"type":"message"}',
    b'{"type":"message","message":[]}',
    b'{"type":"message","message":{"0":"a","1":"b"}}',
    b'{"type":"message","id":{},"message":{"role":7,"content":{}}}',
    b'{"type":"message","id":"x","timestamp":1e400,"message":{"role":"user","content":"t"}}',
    b'{"type":"message","id":"x","timestamp":99999999999999999999,"message":{"role":"user","content":[null,1,[],{}]}}',
    b'{"type":"compaction","summary":{},"firstKeptEntryId":[]}',
    b'{"type":"label","targetId":5}',
    b'{"type":"session"}',
    b'{"type":"session_info","name":{"a":1}}',
    b'{"type":"message","message":{"role":"toolResult","toolCallId":[],"content":3}}',
)


@pytest.mark.parametrize("raw", SHAPES)
def test_json_of_another_shape_is_no_damage_and_hurts_nobody(tmp_path: Path, raw: bytes) -> None:
    texts, malformed, _ = read(session(tmp_path / "s.jsonl", entry(0, "a"), raw + b"\n", entry(1, "b")))
    assert (texts[0], texts[-1], malformed) == ("a", "b", [])


def test_a_byte_order_mark_is_no_part_of_the_header(tmp_path: Path) -> None:
    path = logs.write(tmp_path / "s.jsonl", b"\xef\xbb\xbf" + logs.line(logs.pi_header("marked")) + entry(0, "a"))
    texts, malformed, reading = read(path)
    assert (texts, malformed, reading.facts.id) == (["a"], [], "marked")
    assert PI.recognise(str(path), path.read_bytes())


def test_a_torn_record_with_many_parts_does_not_hide_the_one_glued_behind_it(tmp_path: Path) -> None:
    inner = json.dumps([{"key": number} for number in range(200)])
    torn = b'{"type":"message","id":"t","message":{"content":[' + inner.encode() + b',{"text":"no end'
    texts, malformed, _ = read(session(tmp_path / "s.jsonl", torn + entry(0, "a"), entry(1, "b")))
    assert (texts, len(malformed)) == (["a", "b"], 1)


def test_damage_is_told_by_physical_line(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl", b"\n\n", entry(0, "a"), b"{broken\n", entry(1, "b"))
    _, (damage,), _ = read(path)
    assert damage.line == 5
    assert path.read_bytes()[damage.offset : damage.offset + damage.length] == b"{broken"


def test_every_entry_has_its_bytes_and_its_hash(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl", bare(0, "a") + entry(1, "b"), entry(2, "修改"))
    data = path.read_bytes()
    found = [item for item in Reading(PI, str(path)) if isinstance(item, Entry)]
    assert len(found) == 3
    for item in found:
        raw = data[item.offset : item.offset + item.length]
        assert json.loads(raw)["id"] == item.draft.entry_id
        assert sha256(raw).digest() == item.hash


def test_an_unfinished_record_is_taken_in_once_and_read_again_when_it_grows(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl", entry(0, "a"), bare(1, "b"))
    texts, _, first = read(path)
    assert (texts, first.checkpoint.open_tail, first.checkpoint.seq) == (["a", "b"], True, 1)
    with path.open("ab") as file:
        file.write(b"\n" + entry(2, "c"))
    texts, _, second = read(path, first.checkpoint, msgspec.json.decode(msgspec.json.encode(first.facts), type=Facts))
    assert (texts, second.checkpoint.open_tail, second.checkpoint.seq) == (["b", "c"], False, 3)


@given(cuts=st.lists(st.integers(0, 3_000), max_size=5), packed=st.booleans())
@settings(max_examples=60, deadline=None)
def test_pieces_give_what_the_whole_gives(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], *, packed: bool
) -> None:
    path = tmp_path_factory.mktemp("pieces") / ("s.jsonl.zst" if packed else "s.jsonl")
    parts = [
        logs.line(logs.pi_header("s")),
        entry(0, "a"),
        bare(1, "b") + entry(2, "c"),
        TORN + b"\n",
        b"\n",
        entry(3, "d"),
    ]
    data = b"".join(map(zstandard.compress, parts)) if packed else b"".join(parts)
    found: dict[int, str] = {}
    since, facts = None, None
    for cut in [*sorted(cut % len(data) for cut in cuts), len(data)]:
        path.write_bytes(data[:cut])
        reading = Reading(PI, str(path), since, facts)
        items = [item for item in reading if isinstance(item, Entry)]
        if since:
            found = {seq: text for seq, text in found.items() if seq < since.seq}
        found |= {item.seq: item.draft.text for item in items}
        since, facts = reading.checkpoint, msgspec.json.decode(msgspec.json.encode(reading.facts), type=Facts)
    assert list(found.values()) == ["a", "b", "c", "d"]


def test_a_checkpoint_stops_holding_when_its_head_or_tail_changes(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl", *(entry(number, "x" * 100) for number in range(1_000)))
    checkpoint = read(path)[2].checkpoint
    data = path.read_bytes()
    assert continues(str(path), checkpoint)
    for at in (0, 4_095, len(data) - 1, len(data) - (64 << 10)):
        changed = bytearray(data)
        changed[at] ^= 1
        path.write_bytes(changed)
        assert not continues(str(path), checkpoint), at
    path.write_bytes(data[:-10])
    assert not continues(str(path), checkpoint)
    path.write_bytes(data + b"more")
    assert continues(str(path), checkpoint)


def test_a_stop_leaves_a_checkpoint_to_go_on_from(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl", *(entry(number, str(number)) for number in range(9)))
    reading = Reading(PI, str(path))
    seen = []
    for item in reading:
        assert isinstance(item, Entry)
        seen.append(item.draft.text)
        if len(seen) == 4:
            reading.stop()
    assert (seen, reading.complete) == (["0", "1", "2", "3"], False)
    assert read(path, reading.checkpoint, reading.facts)[0] == ["4", "5", "6", "7", "8"]


def test_a_file_that_is_gone_or_no_file_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UnreadableSourceError):
            list(Reading(PI, str(path)))
    with pytest.raises(UnreadableSourceError):
        stamp(str(tmp_path / "none.jsonl"))


def test_a_file_cut_while_it_is_read_ends_early(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl", *(entry(number, "x" * 2_000) for number in range(1_500)))
    reading = Reading(PI, str(path))
    seen = 0
    for _ in reading:
        seen += 1
        if seen == 1:
            os.truncate(path, 10_000)
    assert 0 < seen < 1_500


def test_a_document_without_end_is_one_damage_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "session-x.json"
    with path.open("wb") as file:
        file.truncate(reading.LARGEST_DOCUMENT + 1)
    monkeypatch.setattr(reading, "open_file", lambda _: Unread(path))
    pass_ = Reading(registry.load("gemini"), str(path))
    [damage] = pass_
    assert isinstance(damage, Malformed)
    assert (damage.oversized, damage.length, "too large" in damage.reason) == (True, path.stat().st_size, True)
    assert (pass_.malformed, pass_.checkpoint.stamp) == (1, stamp(str(path)))


class Unread:
    """An open file that may be looked at and not read."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")

    def fileno(self) -> int:
        return self._file.fileno()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
