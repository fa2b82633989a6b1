"""What every source promises, checked over the sample files of each.

A source takes part by having a row in the registry and samples in `tests/fixtures/sources/<name>`. Nothing here knows
a format, except for `UNKNOWN`: one record per format of a type that its agent never wrote.
"""

import io
import json
import shlex
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backstory.errors import UnknownSourceError
from backstory.records import message as canonical
from backstory.records.session import KINDS, Draft, Entry, Facts, Kind
from backstory.sources import locations, registry
from backstory.sources.base import Source
from backstory.sources.lines import open_lines
from backstory.sources.reading import Reading
from tests.fakes.drafts import parsed

SAMPLES = Path(__file__).parents[1] / "fixtures" / "sources"
PLACEHOLDERS = ("[trimmed for fixture]", "")
ROLES = {"system", "user", "assistant", "tool"}
NEEDLE = "needle-in-an-unknown-record"
UNKNOWN: dict[str, dict[str, Any]] = {
    "claude-code": {"type": "nonesuch", "uuid": "n-1", "parentUuid": None, "sessionId": "s", "content": [NEEDLE]},
    "codex": {"timestamp": "2026-01-01T00:00:00Z", "type": "nonesuch", "payload": {"type": "x", "text": NEEDLE}},
    "dsh": {"type": "nonesuch/done", "seq": 1, "time": 1767225600000, "data": {"text": NEEDLE}},
    "gemini": {"id": "n-1", "timestamp": "2026-01-01T00:00:00Z", "type": "nonesuch", "content": NEEDLE},
    "pi": {"type": "nonesuch", "id": "n1", "parentId": None, "timestamp": "2026-01-01T00:00:00Z", "text": NEEDLE},
    "runtime": {"type": "nonesuch", "message": {"text": NEEDLE}},
}

sources = pytest.mark.parametrize("name", registry.names())


@cache
def samples(name: str) -> tuple[Path, ...]:
    suffixes = registry.load(name).location.suffixes
    return tuple(
        sorted(path for path in (SAMPLES / name).rglob("*") if path.is_file() and path.name.endswith(suffixes))
    )


@cache
def records(name: str, path: Path) -> list[bytes]:
    """The records of a file as a reader hands them to the parser, torn ones included."""
    return raws_of(registry.load(name), path)


def raws_of(source: Source, path: Path) -> list[bytes]:
    data = path.read_bytes()
    if source.document(str(path)):
        return [raw for _, raw in source.split(data)]
    lines = open_lines(io.BytesIO(data), 0, 0, 0, len(data))
    return [raw for line in lines if (raw := (line.raw or b"").strip(b"\0\r \t"))]


def stored(facts: Facts) -> Facts:
    return msgspec.json.decode(msgspec.json.encode(facts), type=Facts)


def whole(name: str) -> Iterator[tuple[Source, Path, list[bytes]]]:
    source = registry.load(name)
    for path in samples(name):
        yield source, path, [raw for raw in records(name, path) if is_json(raw)]


def is_json(raw: bytes) -> bool:
    try:
        json.loads(raw.decode("utf-8", "replace"))
    except ValueError:
        return False
    return True


@sources
def test_a_source_has_samples(name: str) -> None:
    assert samples(name)


@sources
def test_a_source_describes_itself(name: str) -> None:
    source = registry.load(name)
    assert source.location.name == name
    assert source.location.title
    assert source.location.suffixes
    assert all(suffix.startswith(".") for suffix in source.location.suffixes)
    assert registry.load(name) is source


@sources
def test_default_places_follow_the_home_folder_given(name: str) -> None:
    location = registry.load(name).location
    assert all(folder.startswith("/home/ada/") for folder in locations.folders(location, "/home/ada", {}))


@sources
def test_an_environment_variable_moves_the_default_folders(name: str) -> None:
    location = registry.load(name).location
    for place in location.places:
        if place.variable:
            moved = locations.folders(location, "/home/ada", {place.variable: "/elsewhere/{id}"})
            assert len(moved) == len(place.paths)
            assert all(folder.startswith("/elsewhere/{id}") for folder in moved)


@sources
def test_the_last_default_needs_no_variable(name: str) -> None:
    variables = [place.variable for place in registry.load(name).location.places]
    assert [variable is None for variable in variables] == [False] * (len(variables) - 1) + [True] * bool(variables)


def test_an_unknown_source_is_refused_with_the_known_names() -> None:
    with pytest.raises(UnknownSourceError, match="claude-code"):
        registry.load("nonesuch")


@sources
def test_a_sample_is_recognised_by_its_own_source_alone(name: str) -> None:
    for path in samples(name):
        head = path.read_bytes()[: 64 << 10]
        plain = b"".join((raw.raw or b"") + b"\n" for raw in open_lines(io.BytesIO(head), 0, 0, 0, len(head)))
        known = [
            other
            for other in registry.names()
            if str(path).endswith(registry.load(other).location.suffixes)
            and registry.load(other).recognise(str(path), plain[: 64 << 10])
        ]
        assert known == [name], path


@sources
def test_other_text_is_not_recognised(name: str) -> None:
    source = registry.load(name)
    for suffix in source.location.suffixes:
        for head in (
            b"",
            b"\0" * 64,
            b"{}\n",
            b"[]\n",
            b'"text"\n',
            b"not JSON\n",
            b'{"type":"nonesuch"}\n',
            b"\xff\xfe",
        ):
            assert not source.recognise(f"/logs/some{suffix}", head)


@sources
def test_reading_in_pieces_equals_reading_at_once(name: str) -> None:
    for source, path, raws in whole(name):
        at_once = source.parser(str(path))
        expected = list(parsed(at_once, raws))
        pieces: list[Draft] = []
        facts: Facts | None = None
        for raw in raws:
            piece = source.parser(str(path), facts)
            pieces += parsed(piece, [raw])
            facts = stored(piece.facts)
        assert pieces == expected, path
        assert facts == stored(at_once.facts), path


@sources
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_reading_resumes_at_any_cut(name: str, data: st.DataObject) -> None:
    source = registry.load(name)
    path = data.draw(st.sampled_from(samples(name)))
    raws = records(name, path)
    cut = data.draw(st.integers(0, len(raws)))
    first = source.parser(str(path))
    head = list(parsed(first, raws[:cut]))
    second = source.parser(str(path), stored(first.facts))
    tail = list(parsed(second, raws[cut:]))
    at_once = source.parser(str(path))
    assert head + tail == list(parsed(at_once, raws))
    assert stored(second.facts) == stored(at_once.facts)


@sources
def test_drafts_are_well_formed_and_the_same_each_time(name: str) -> None:
    for source, path, raws in whole(name):
        parser = source.parser(str(path))
        drafts = list(parsed(parser, raws))
        assert drafts, path
        assert parser.facts.id
        assert parser.facts.shape in {"tree", "line"}
        assert parser.facts.origin in {"main", "fork", "subagent"}
        for draft in drafts:
            assert draft.kind in KINDS
            assert draft.role in {None, *ROLES}
            assert draft.chars >= 0
            draft.text.encode()
        again = source.parser(str(path))
        assert list(parsed(again, raws)) == drafts
        assert again.facts == parser.facts


@sources
def test_state_carries_no_text(name: str) -> None:
    for source, path, raws in whole(name):
        for draft in parsed(source.parser(str(path)), raws):
            assert draft.kind != Kind.STATE or not draft.text


@sources
def test_an_unknown_record_keeps_its_place_without_text(name: str) -> None:
    source = registry.load(name)
    path = samples(name)[0]
    parser = source.parser(str(path))
    list(parsed(parser, records(name, path)[:1]))
    drafts = list(parsed(parser, [json.dumps(UNKNOWN[name]).encode()]))
    assert [draft.kind for draft in drafts] == [Kind.STATE]
    assert all(NEEDLE not in draft.text for draft in drafts)


@sources
def test_thinking_and_images_never_become_text(name: str) -> None:
    for source, path, raws in whole(name):
        parser = source.parser(str(path))
        for raw in raws:
            text = "\n".join(draft.text for draft in parsed(parser, [raw]))
            message = source.message(raw)
            for block in message.blocks if message else ():
                if isinstance(block, canonical.Thinking) and block.text not in PLACEHOLDERS:
                    assert block.text not in text
            assert "hidden-" not in text
            assert "aGlkZGVu" not in text
            assert ";base64," not in text


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini"])
def test_the_samples_do_hold_thinking_and_images(name: str) -> None:
    blocks = [
        block for source, _, raws in whole(name) for raw in raws if (m := source.message(raw)) for block in m.blocks
    ]
    assert any(isinstance(block, canonical.Thinking) and block.text not in PLACEHOLDERS for block in blocks)
    assert any(isinstance(block, canonical.Image) and block.size > 0 for block in blocks)


# A damaged message of DSH keeps its place, and one record of Gemini may replace all entries before it.
@pytest.mark.parametrize("name", sorted({*registry.names()} - {"dsh", "gemini"}))
def test_every_visible_entry_and_no_other_has_a_message(name: str) -> None:
    for source, path, raws in whole(name):
        parser = source.parser(str(path))
        for raw in raws:
            visible = [draft.visible for draft in parsed(parser, [raw])]
            assert visible == [source.message(raw) is not None] * len(visible), raw


@sources
def test_messages_are_canonical(name: str) -> None:
    found = [message for source, _, raws in whole(name) for raw in raws if (message := source.message(raw))]
    assert found
    for message in found:
        assert message.role in ROLES
        assert msgspec.json.decode(msgspec.json.encode(message), type=canonical.Message) == message


@sources
def test_a_resume_command_is_one_safe_shell_line(name: str) -> None:
    location = registry.load(name).location
    command = locations.resume(location, "an id; rm -rf {path}", "/home/ada/a b'c; {id}", "/logs/a file; ls.jsonl")
    assert (command is None) == (location.resume is None)
    if command is not None:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        assert {word for word in lexer if set(word) <= set("();<>|&")} <= {"&&"}
        assert "\n" not in command


@sources
def test_reading_leaves_the_files_alone(name: str, tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / name, tmp_path / name)
    before = {path: (path.stat(), path.read_bytes()) for path in tmp_path.rglob("*") if path.is_file()}
    source = registry.load(name)
    for path in before:
        if path.name.endswith(source.location.suffixes):
            list(parsed(source.parser(str(path)), raws_of(source, path)))
    after = {path: (path.stat(), path.read_bytes()) for path in tmp_path.rglob("*") if path.is_file()}
    assert [(stat.st_size, stat.st_mtime_ns, data) for stat, data in after.values()] == [
        (stat.st_size, stat.st_mtime_ns, data) for stat, data in before.values()
    ]


@cache
def values(name: str) -> list[Any]:
    return [json.loads(raw) for _, _, raws in whole(name) for raw in raws[:80]]


def spots(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from spots(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from spots(inner, (*at, index))


def replaced(value: Any, at: tuple[str | int, ...], by: Any) -> Any:
    if not at:
        return by
    inner = replaced(value[at[0]], at[1:], by)
    if isinstance(value, dict):
        return {**value, at[0]: inner}
    return [*value[: int(at[0])], inner, *value[int(at[0]) + 1 :]]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
# Arguments and results of calls are often JSON inside a text, which hides from the reader what no text may hold.
NESTED = {"path": "src/\ud99c.py", "command": ["\udc00", "\ud99c"], "output": "\ud99c", "metadata": {}, "\udc00": 1}
LONG_NUMBER = "9" * 5_000
HIDDEN = st.sampled_from([json.dumps(NESTED), json.dumps([NESTED]), f'{{"path": "a", "limit": {LONG_NUMBER}}}'])
fuzz = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read_safely(name: str, raw: bytes) -> None:
    source = registry.load(name)
    path = samples(name)[0]
    parser = source.parser(str(path))
    for draft in parsed(parser, [*records(name, path)[:1], raw]):
        msgspec.json.encode(draft)
    stored(parser.facts)
    source.message(raw)
    source.recognise(str(path), raw)


@sources
@fuzz
@given(value=JSON)
def test_any_json_value_is_survived(name: str, value: Any) -> None:
    read_safely(name, json.dumps(value).encode())


@sources
@fuzz
@given(data=st.data())
def test_a_record_with_any_part_replaced_is_survived(name: str, data: st.DataObject) -> None:
    value = data.draw(st.sampled_from(values(name)))
    at = data.draw(st.sampled_from(list(spots(value))))
    broken = replaced(value, at, data.draw(JSON | HIDDEN))
    read_safely(name, json.dumps(broken).encode())


def texts_at(value: Any) -> Iterator[tuple[str | int, ...]]:
    for at in spots(value):
        inner = value
        for step in at:
            inner = inner[step]
        if isinstance(inner, str):
            yield at


@sources
def test_text_that_hides_what_no_text_may_hold_can_be_stored(name: str) -> None:
    seen = set()
    for value in values(name):
        for at in texts_at(value):
            if (place := (value.get("type"), *(step for step in at if isinstance(step, str)))) not in seen:
                seen.add(place)
                read_safely(name, json.dumps(replaced(value, at, json.dumps(NESTED))).encode())
    assert seen


@sources
def test_a_number_of_any_length_costs_no_other_record(name: str, tmp_path: Path) -> None:
    for source, path, raws in whole(name):
        value = json.loads(raws[-1])
        if source.document(str(path)) or not isinstance(value, dict):
            continue
        long = json.dumps({**value, "padding": "@"}).replace('"@"', LONG_NUMBER).encode()
        copy = tmp_path / path.relative_to(SAMPLES / name)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(
            b"\n".join([*raws, long, long + raws[-1], raws[-1] + long, long[:-9] + raws[-1], raws[-1], b""])
        )
        plain = copy.with_name("plain-" + copy.name)
        plain.write_bytes(b"\n".join([*raws, raws[-1], b""]))
        found, fewer = ([one for one in Reading(source, str(at)) if isinstance(one, Entry)] for at in (copy, plain))
        assert len(found) >= len(fewer)


@sources
@fuzz
@given(raw=st.binary(max_size=60))
def test_bytes_that_are_not_json_raise_a_decode_error_at_most(name: str, raw: bytes) -> None:
    source = registry.load(name)
    list(parsed(source.parser(str(samples(name)[0])), [raw, b"[" * 100_000, b'{"type":"\\ud800"', b'"\xff']))
