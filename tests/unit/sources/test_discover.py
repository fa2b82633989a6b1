"""Walking places: every log once, whatever else lies there."""

import os
import socket
from pathlib import Path

import pytest
import zstandard

from backstory.sources import registry
from backstory.sources.base import Source
from backstory.sources.discover import Candidate, Place, Unreadable, printable, walk
from backstory.sources.recognise import recognise
from tests.fakes import logs

SOURCES = [registry.load(name) for name in registry.names()]


def found(path: Path) -> tuple[set[str], list[Unreadable]]:
    items = list(walk(Place("pi", str(path)), (".jsonl", ".json")))
    paths = [item.path for item in items if isinstance(item, Candidate)]
    assert len(paths) == len(set(paths))
    return {os.path.relpath(one, path) for one in paths}, [item for item in items if isinstance(item, Unreadable)]


def test_logs_are_found_at_any_depth_and_by_their_endings(tmp_path: Path) -> None:
    for name in ("a.jsonl", "deep/er/b.jsonl", "c.json", "d.txt", ".hidden/e.jsonl"):
        logs.write(tmp_path / name, b"x")
    assert found(tmp_path) == ({"a.jsonl", "deep/er/b.jsonl", "c.json", ".hidden/e.jsonl"}, [])


def test_a_missing_place_and_a_single_file_are_fine(tmp_path: Path) -> None:
    assert found(tmp_path / "none") == (set(), [])
    assert found(logs.write(tmp_path / "a.jsonl", b"x")) == ({"."}, [])


def test_what_is_called_like_a_log_and_is_none_is_passed_by(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    logs.write(tmp_path / "folder.jsonl" / "inside.jsonl", b"x")
    os.mkfifo(tmp_path / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(tmp_path)
        listening.bind("socket.jsonl")
        os.chdir(here)
        (tmp_path / "dangling.jsonl").symlink_to(tmp_path / "none")
        assert found(tmp_path) == ({"folder.jsonl/inside.jsonl"}, [])


def test_links_never_lead_into_a_loop(tmp_path: Path) -> None:
    logs.write(tmp_path / "a" / "x.jsonl", b"x")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a" / "self")
    (tmp_path / "a" / "loop.jsonl").symlink_to(tmp_path / "a" / "loop.jsonl")
    (tmp_path / "linked.jsonl").symlink_to(tmp_path / "a" / "x.jsonl")
    names, problems = found(tmp_path)
    assert names == {"a/x.jsonl", "linked.jsonl"}
    [told] = problems
    assert (Path(told.path).name, told.reason) == ("loop.jsonl", "it is a link that leads back to itself")


def test_a_place_may_itself_be_a_link(tmp_path: Path) -> None:
    logs.write(tmp_path / "real" / "x.jsonl", b"x")
    (tmp_path / "place").symlink_to(tmp_path / "real")
    assert found(tmp_path / "place") == ({"x.jsonl"}, [])


def test_a_name_that_is_not_utf_8_is_said_and_costs_nobody_else(tmp_path: Path) -> None:
    logs.write(tmp_path / "a.jsonl", b"x")
    odd = os.fsencode(tmp_path) + b"/\xff.jsonl"
    Path(os.fsdecode(odd)).write_bytes(b"x")
    names, problems = found(tmp_path)
    assert names == {"a.jsonl"}
    assert [(Path(one.path).name, one.reason) for one in problems] == [("\ufffd.jsonl", "its name is not UTF-8")]
    problems[0].path.encode()


def test_a_file_that_vanishes_while_walking_is_passed_by(tmp_path: Path) -> None:
    for number in range(20):
        logs.write(tmp_path / f"{number}.jsonl", b"x")
    seen = 0
    for item in walk(Place("pi", str(tmp_path)), (".jsonl",)):
        assert isinstance(item, Candidate)
        seen += 1
        if seen == 1:
            for path in tmp_path.iterdir():
                path.unlink()
    assert 1 <= seen <= 20


def test_a_folder_that_vanishes_while_walking_is_passed_by(tmp_path: Path) -> None:
    logs.write(tmp_path / "a.jsonl", b"x")
    (tmp_path / "deep").mkdir()
    walking = walk(Place("pi", str(tmp_path)), (".jsonl",))
    next(walking)
    (tmp_path / "deep").rmdir()
    assert list(walking) == []


@pytest.mark.parametrize("path", ["/plain", "/with/umläut", "/\udcff"])
def test_every_path_can_be_shown(path: str) -> None:
    assert printable(path).encode()
    assert (printable(path) == path) == (path != "/\udcff")


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 100, b"\n\n", b"hello", b'{"a":1}\n', b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfdgarbage"]
)
def test_what_is_no_session_is_nobodys(tmp_path: Path, data: bytes) -> None:
    assert recognise(str(logs.write(tmp_path / "a.jsonl", data)), SOURCES) is None


def test_a_session_is_known_by_what_it_says_wherever_it_lies(tmp_path: Path) -> None:
    pi = recognise(str(logs.write(tmp_path / "a.jsonl", logs.pi("s", ["x"]))), SOURCES)
    claude = recognise(str(logs.write(tmp_path / "b.jsonl", logs.claude("s", ["x"]))), SOURCES)
    assert pi
    assert claude
    assert (pi.location.name, claude.location.name) == ("pi", "claude-code")


@pytest.mark.parametrize("sources", [SOURCES, SOURCES[::-1], [registry.load("dsh")]])
def test_of_a_compressed_session_more_than_the_first_chunk_is_looked_at(tmp_path: Path, sources: list[Source]) -> None:
    torn = b'{"torn":\n'
    event = b'{"type":"user/message","seq":0,"time":1760000000000,"data":{}}\n'
    path = logs.write(tmp_path / "a.jsonl.zstd", zstandard.compress(torn) + zstandard.compress(event))
    source = recognise(str(path), sources)
    assert source
    assert source.location.name == "dsh"
