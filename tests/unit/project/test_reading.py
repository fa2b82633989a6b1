"""Files are read through folders that are opened one by one, whatever happens to them meanwhile."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.project.reading import MOST_OPEN, Reader, UnreadableFile

LIMIT = 1000


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    with Reader(str(tmp_path), LIMIT) as opened:
        yield opened


def reason(reader: Reader, path: str) -> str:
    with pytest.raises(UnreadableFile) as caught:
        reader.read(path)
    return str(caught.value)


def test_files_in_folders_of_any_depth(tmp_path: Path, reader: Reader) -> None:
    deep = "/".join("d" * (1 + level % 3) for level in range(MOST_OPEN * 2))
    paths = ["top.py", f"{deep}/one.py", f"{deep}/two.py", "d/dd/three.py", f"{deep[:-5]}/four.py", "other/five.py"]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path, encoding="utf-8")
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for path in [*paths, *reversed(paths)]:
        data, stat = reader.read(path)
        assert data.decode() == path
        assert stat.size == len(path)
        if before:
            assert len(os.listdir("/proc/self/fd")) <= before + MOST_OPEN


def test_what_is_no_regular_file_within_the_limit_is_refused(tmp_path: Path, reader: Reader) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "large").write_bytes(b"x" * (LIMIT + 1))
    (tmp_path / "exact").write_bytes(b"x" * LIMIT)
    (tmp_path / "link").symlink_to(tmp_path / "exact")
    (tmp_path / "way").symlink_to(tmp_path / "folder")
    os.mkfifo(tmp_path / "pipe")
    assert reason(reader, "large") == "oversized"
    assert reason(reader, "folder") == reason(reader, "pipe") == "irregular"
    assert reason(reader, "link") == reason(reader, "way/file") == "link"
    assert reason(reader, "gone") == reason(reader, "folder/gone") == reason(reader, "no/such") == "missing"
    assert reason(reader, "a\0b") == "unreadable"
    assert len(reader.read("exact")[0]) == LIMIT


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "log.py"
    place.write_bytes(b"x" * 10)
    take = os.read

    def grow(handle: int, size: int) -> bytes:
        piece = take(handle, min(size, 7))
        with place.open("ab") as stream:
            stream.write(b"y" * 100)
        return piece

    monkeypatch.setattr(os, "read", grow)
    assert reason(reader, "log.py") == "oversized"


def test_a_file_that_grows_within_the_limit_is_read_to_its_end(
    tmp_path: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "log.py"
    place.write_bytes(b"x" * 10)
    take = os.read
    asked: list[int] = []

    def grow(handle: int, size: int) -> bytes:
        asked.append(size)
        if len(asked) == 1:
            place.write_bytes(b"y" * 110)
        return take(handle, size)

    monkeypatch.setattr(os, "read", grow)
    assert reader.read("log.py")[0] == b"y" * 110
    asked.append(0)
    assert (reader.read("log.py")[0], asked[-1]) == (b"y" * 110, 111)


def test_a_file_that_vanishes_or_shrinks_while_it_is_read(
    tmp_path: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "a.py"
    place.write_bytes(b"x" * 100)
    take = os.read

    def vanish(handle: int, size: int) -> bytes:
        place.unlink(missing_ok=True)
        return take(handle, min(size, 60))

    monkeypatch.setattr(os, "read", vanish)
    assert reader.read("a.py")[0] == b"x" * 100
    monkeypatch.setattr(os, "read", take)
    assert reason(reader, "a.py") == "missing"


def test_a_folder_that_is_replaced_while_it_is_open(tmp_path: Path, reader: Reader) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("secret", encoding="utf-8")
    folder = tmp_path / "sub"
    folder.mkdir()
    (folder / "a.py").write_text("first", encoding="utf-8")
    assert reader.read("sub/a.py")[0] == b"first"
    folder.rename(tmp_path / "moved")
    folder.symlink_to(outside)
    assert reason(reader, "sub/secret.py") == "missing"
    reader.read("outside/secret.py")
    assert reason(reader, "sub/secret.py") == "link"
