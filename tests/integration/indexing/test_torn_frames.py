"""An index that followed a compressed log, in which frames were torn and written anew, says what a new one says."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from backstory.sources import frames
from backstory.sources.discover import Place
from backstory.store.history import History, open_history
from tests.fakes.corpus import header, lines, user
from tests.fakes.projection import clean, settled, sync


@pytest.fixture
def history() -> Iterator[History]:
    opened = open_history(":memory:")
    yield opened
    opened.close()


class Log:
    """A compressed log that an index follows."""

    def __init__(self, root: Path, history: History) -> None:
        self._path = root / "logs" / "s1" / "session.jsonl.zstd"
        self._path.parent.mkdir(parents=True)
        self._history = history
        self._places = [Place("dsh", str(root / "logs"))]
        self._time = 1_000

    def holds(self, *parts: bytes) -> list[tuple[int, str]]:
        """Writes the log, looks at it, and gives the damage that is told."""
        self._time += 1
        self._path.write_bytes(b"".join(parts))
        os.utime(self._path, ns=(self._time * 10**9, self._time * 10**9))
        report = sync(self._history, self._places)
        assert report.problems == []
        assert settled(self._history) == clean(self._places)
        return [(line, reason) for line, reason in self._history.rows("SELECT line, reason FROM damage ORDER BY line")]

    def texts(self) -> list[str]:
        """The text of each entry."""
        return [text for (text,) in self._history.rows("SELECT CAST(text AS TEXT) FROM texts ORDER BY id")]


@pytest.fixture
def log(tmp_path: Path, history: History) -> Log:
    return Log(tmp_path, history)


def packed(text: str, seq: int) -> bytes:
    return zstandard.compress(lines("s1", [user(text)], seq).encode())


def open_frame(*texts: str) -> bytes:
    """A frame whose end is not written yet, though each of its lines is."""
    unpacked = [lines("s1", [user(text)], seq).encode() for seq, text in enumerate(texts)]
    packer = zstandard.ZstdCompressor().compressobj()
    return b"".join(packer.compress(line) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK) for line in unpacked)


HEAD = zstandard.compress(header("s1").encode())


@pytest.mark.parametrize("cut", [0, 3])
def test_a_frame_without_an_end_that_is_written_anew(log: Log, cut: int) -> None:
    torn = open_frame("the quince", "the plum")
    log.holds(HEAD, torn[: len(torn) - cut])
    assert log.texts()[0] == "the quince"
    again = open_frame("the medlar and much more of it", "the sloe")
    log.holds(HEAD, again, packed("the quince at last", 2))
    assert log.texts() == ["the medlar and much more of it", "the sloe", "the quince at last"]


def test_a_beginning_of_a_frame_that_is_damaged_later(log: Log) -> None:
    first, second = packed("the quince", 0), packed("the plum", 1)
    log.holds(HEAD, b"no frame", first[:-9])
    log.holds(HEAD, b"no frame", b"\0" + first[1:-9], second)
    assert log.texts() == ["the plum"]


def test_torn_frames_are_passed_up_to_a_bound_that_is_told(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST_TORN", 3)
    torn = [packed("the quince", 0)[:-9]] * 3
    ends = "behind so many torn frames nothing is read"
    assert log.holds(HEAD, *torn[:2], packed("the plum", 0)) == [(line, "not a whole JSON record") for line in (2, 3)]
    parts = [HEAD, *torn, packed("the plum", 0)]
    for seq in range(1, 4):
        assert log.holds(*parts)[-1] == (5, ends)
        assert log.texts() == []
        parts.append(packed("the sloe", seq))
