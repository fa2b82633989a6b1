"""Records and their places, in plain and compressed logs, whole, torn, resumed and far too long."""

import io
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.sources import frames as frame_bytes
from backstory.sources import lines
from backstory.sources.frames import ZSTD_MAGIC
from backstory.sources.lines import RawLine, open_lines

pieces = st.lists(st.binary(max_size=12), max_size=8).map(b"\n".join)
# No text in UTF-8 holds the four bytes that a frame begins with.
packable = pieces.filter(lambda data: ZSTD_MAGIC not in data)


def read(data: bytes, offset: int = 0, position: int = 0, base: int = 0) -> list[RawLine]:
    return list(open_lines(io.BytesIO(data), offset, position, base, len(data)))


def frames(*parts: bytes) -> bytes:
    return b"".join(zstandard.compress(part) for part in parts)


@given(data=pieces.filter(lambda data: not data.startswith(ZSTD_MAGIC)))
def test_only_line_feeds_end_a_record_and_every_byte_has_its_place(data: bytes) -> None:
    found = read(data)
    assert b"\n".join(line.raw or b"" for line in found) + (b"\n" if found and found[-1].terminated else b"") == data
    for line in found:
        assert data[line.offset : line.offset + line.length] == line.raw
    assert [line.terminated for line in found[:-1]] == [True] * (len(found) - 1 if found else 0)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085", "\r", "\x0b", "\x0c", "\x1c"])
def test_what_other_readers_split_on_is_data(mark: str) -> None:
    data = f"a{mark}b\nc\n".encode()
    assert [line.raw for line in read(data)] == [f"a{mark}b".encode(), b"c"]


@given(data=pieces, chunk=st.integers(1, 7))
def test_the_size_of_a_chunk_changes_nothing(data: bytes, chunk: int) -> None:
    whole = read(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "CHUNK", chunk)
        patch.setattr(frame_bytes, "SQUEEZED", chunk)
        assert read(data) == whole


@given(data=pieces.filter(lambda data: not data.startswith(ZSTD_MAGIC)))
def test_reading_goes_on_after_any_record(data: bytes) -> None:
    whole = read(data)
    for number, line in enumerate(whole):
        assert read(data, line.offset, line.offset, line.offset) == whole[number:]


@given(parts=st.lists(pieces, min_size=1, max_size=4))
def test_frames_are_read_as_one_log(parts: list[bytes]) -> None:
    plain = read(b"".join(parts)) if not b"".join(parts).startswith(ZSTD_MAGIC) else None
    packed = read(frames(*parts))
    assert plain is None or packed == plain


@given(parts=st.lists(packable, min_size=1, max_size=4), cut=st.integers(0, 400), size=st.integers(1, 9))
@settings(max_examples=200)
def test_a_torn_log_of_frames_is_resumed_where_reading_stopped(parts: list[bytes], cut: int, size: int) -> None:
    data = frames(*parts)
    cut %= len(data) + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame_bytes, "SQUEEZED", size)
        first = open_lines(io.BytesIO(data), 0, 0, 0, cut)
        before = [line for line in first if line.terminated]
        assert first.position <= cut
        after = read(data, first.offset, first.position, first.base)
        whole = read(data)
    if cut >= 4:  # before that nobody can tell that it is compressed
        assert before + after == whole


@given(data=packable)
def test_a_frame_torn_anywhere_gives_a_beginning(data: bytes) -> None:
    packed = frames(data)
    whole = read(packed)
    for cut in range(4, len(packed)):
        found = [line for line in read(packed[:cut]) if line.terminated]
        assert found == whole[: len(found)]


@pytest.mark.parametrize("squeezed", [1, 7, 2 << 10])
def test_a_frame_torn_or_damaged_in_the_middle_costs_nothing_but_itself(
    squeezed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_bytes, "SQUEEZED", squeezed)
    first, last = frames(b"one\n"), frames(b"eight\n", b"nine\n")
    noise = b"".join(sha256(bytes([number])).hexdigest().encode() + b"\n" for number in range(9))
    middle = zstandard.ZstdCompressor(write_checksum=True).compress(noise)
    damaged = [middle[:cut] for cut in range(1, len(middle))]
    damaged += [middle[:at] + bytes([middle[at] ^ 255]) + middle[at + 1 :] for at in range(len(middle))]
    for packed in [*damaged, b"\0" * 9, b"no frame"]:
        whole = first + packed + last
        found = read(whole)
        texts = [line.raw or b"" for line in found]
        assert texts[0] == b"one"
        assert texts[-2:] == [b"eight", b"nine"]
        assert texts[-3].endswith(b"torn")
        if len(packed) < len(middle):
            assert set(texts[1:-3]) <= set(noise.split(b"\n"))
        before = read(whole[: len(first) + len(packed)])
        assert found[: len(before)][:-1] == before[:-1]


@pytest.mark.parametrize("squeezed", range(1, 40))
def test_of_a_torn_frame_nothing_is_read_that_is_of_the_next_one(
    squeezed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_bytes, "SQUEEZED", squeezed)
    noise = sha256(b"noise").digest() * 9
    packer = zstandard.ZstdCompressor().compressobj()
    torn = packer.compress(noise) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    # Blocks that are not compressed are read byte by byte.
    stored = ZSTD_MAGIC + b"\0\x58" + (3000 << 3).to_bytes(3, "little") + noise[:100]
    for frame, gives in ((torn, noise), (stored, noise[:100])):
        found = read(frame + frames(b"one\n"))
        assert b"\n".join(line.raw or b"" for line in found) == gives + b"torn\none"


def test_a_file_of_many_beginnings_of_frames_ends_in_bounded_time_and_says_so() -> None:
    found = [line.raw for line in read(ZSTD_MAGIC * 100_000)]
    assert found == [b"torn"] * frame_bytes.MOST_TORN + [frame_bytes.UNREAD.rstrip()]


def test_a_file_that_shrank_below_its_checkpoint_gives_nothing() -> None:
    assert list(open_lines(io.BytesIO(b"ab\ncd\n"), 100, 100, 100, 6)) == []
    packed = frames(b"ab\n")
    assert list(open_lines(io.BytesIO(packed), 100, 100, 100, len(packed))) == []


def test_only_what_was_there_when_reading_began_is_read() -> None:
    data = b"one\ntwo\nthree\n"
    assert [line.raw for line in open_lines(io.BytesIO(data), 0, 0, 0, 8)] == [b"one", b"two"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundredth of the real limits; a run of base64 counts from 4,096 characters on in any case."""
    monkeypatch.setattr(lines, "CHUNK", 1_000)
    monkeypatch.setattr(lines, "LONG", 20_000)
    monkeypatch.setattr(lines, "OVERSIZED", 80_000)


RUN = b"iVBORw0KGgo+/" * 2_000


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("shift", [0, 1, 999, 4_095])
def test_base64_is_dropped_from_a_long_record_and_the_rest_is_kept(shift: int) -> None:
    image = (
        b'{"pad":"' + b"p" * 100 + b"-" * shift + b'","data":"' + RUN * 8 + b'","after":"kept","more":"' + RUN + b'"}'
    )
    found = read(b"before\n" + image + b"\nafter\n")
    assert [line.raw for line in found[::2]] == [b"before", b"after"]
    assert found[1].raw == image.replace(RUN * 8, b"").replace(RUN, b"")
    assert found[1].length == len(image)
    assert found[1].hash == sha256(image).digest()
    assert found[2].offset == len(b"before\n") + len(image) + 1


@pytest.mark.usefixtures("small")
def test_what_is_left_of_a_record_may_be_too_much_and_its_neighbours_stay() -> None:
    text = b'{"text":"' + b"many words, not an image. " * 4_000 + b'"}'
    found = read(b"before\n" + text + b"\nafter\n" + text)
    assert [line.raw for line in found] == [b"before", None, b"after", None]
    assert [line.terminated for line in found] == [True, True, True, False]
    assert [line.length for line in found] == [6, len(text), 5, len(text)]


@pytest.mark.usefixtures("small")
def test_short_runs_of_letters_are_never_taken_for_images() -> None:
    text = b'{"text":"' + b"word " * 8_000 + b'"}'
    assert read(text + b"\n")[0].raw == text


# Of the process itself: `ru_maxrss` of a new process begins with the peak of the one that started it.
PEAK = """
def peak():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) // 1024
"""
MEASURE = f"""{PEAK}
import sys
from backstory.sources.reading import Reading
from backstory.sources import registry
before = peak()
reading = Reading(registry.load("pi"), sys.argv[1])
print(sum(1 for item in reading if hasattr(item, "draft")), reading.malformed)
print(peak() - before)
"""
UNPACK = f"""{PEAK}
import sys
from pathlib import Path
from backstory.sources.lines import open_lines
before, size = peak(), Path(sys.argv[1]).stat().st_size
with open(sys.argv[1], "rb") as file:
    print(len(list(open_lines(file, 0, 0, 0, size))))
print(peak() - before)
"""
TOLD = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not tell a peak of memory")


def measured(script: str, path: Path) -> tuple[str, int]:
    """What a script of the two counted, and by how many megabytes its memory grew."""
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, encoding="utf-8", check=True)
    counted, megabytes = done.stdout.split("\n")[:2]
    return counted, int(megabytes)


@TOLD
@pytest.mark.parametrize(("filler", "entries", "malformed"), [(b"iVBORw0K" * 512, 3, 0), (b"words here. " * 341, 2, 1)])
def test_a_line_of_a_hundred_megabytes_is_read_in_bounded_memory(
    tmp_path: Path, filler: bytes, entries: int, malformed: int
) -> None:
    def record(number: int) -> bytes:
        return b'{"type":"message","id":"e%d","parentId":null,"message":{"role":"user","content":"' % number

    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.write(b'{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/x"}\n')
        file.write(record(0) + b'before"}}\n' + record(1))
        for _ in range(100 * 1024 * 1024 // len(filler)):
            file.write(filler)
        file.write(b'"}}\n' + record(2) + b'after"}}\n')
    counted, megabytes = measured(MEASURE, path)
    assert counted == f"{entries} {malformed}"
    assert megabytes < 110


@TOLD
def test_a_small_frame_that_stands_for_much_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.zstd"
    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    with path.open("wb") as file:
        for _ in range(300):
            file.write(compressor.compress(b" " * (1 << 20)))
        file.write(compressor.flush())
    assert path.stat().st_size < 100_000
    counted, megabytes = measured(UNPACK, path)
    assert counted == "1"
    assert megabytes < 200
