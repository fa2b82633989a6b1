"""`/context` commands inside a host, in all the states a host can be in."""

from pathlib import Path

import msgspec
import pytest

from backstory.engine.host.commands.table import COMMANDS
from backstory.engine.open import Engine
from backstory.records.manifest import Line, Manifest
from tests.fakes.host import FakeHost

READS = [command.name for command in COMMANDS if command.takes in {"", "[all]", "[ID]", "[all] [ID]"}]
MANIFEST = Path(__file__).parents[2] / "fixtures" / "manifests" / "harbour.json"


@pytest.fixture
def host(engine: Engine, tmp_path: Path) -> FakeHost:
    host = FakeHost(engine, tmp_path)
    host.say("never touch src/vendor")
    host.say("I will not", "assistant")
    return host


def home(tmp_path: Path, settings: str) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text(settings, encoding="utf-8")


def test_what_a_person_types_is_kept_without_a_question(host: FakeHost) -> None:
    said = host.command("pin --scope branch --classification internal --source e0001 --file a.py don't touch it")
    assert said.data["written"] is True
    assert host.asked == []
    [record] = host.mutations()
    item = record["data"]["item"]
    assert (item["content"], item["scope"], item["classification"]) == ("don't touch it", "branch", "internal")
    assert (item["branchLeafId"], item["sourceEntryId"], item["sourceFile"]) == ("e0002", "e0001", "a.py")


def test_the_life_of_a_memory(host: FakeHost) -> None:
    first = host.command("memory add --key build the build tool is mise").data["id"]
    second = host.command(f"memory supersede {first[:10]} the build tool is make").data["id"]
    host.command(f"memory invalidate {second} it never was")
    listed = host.command("memory all").text
    assert "(replaced)" in listed
    assert "(wrong)" in listed
    assert host.command("memory").text == "Nothing is remembered."
    assert [record["data"]["operation"] for record in host.mutations()] == ["add", "supersede", "status"]
    assert host.mutations()[2]["data"]["reason"] == "it never was"


@pytest.mark.parametrize(
    ("append", "told"), [("moved", "nothing was written"), ("failed", "may or may not"), ("lost", "may or may not")]
)
def test_an_append_that_goes_wrong_is_told(host: FakeHost, append: str, told: str) -> None:
    host.append = append
    said = host.command("pin keep it")
    assert told in said.text
    assert said.level != "info"


def test_nothing_is_kept_where_nothing_may_be(host: FakeHost, tmp_path: Path) -> None:
    host.trusted = False
    assert "not trusted" in host.command("pin --scope project x y").text
    host.ephemeral = True
    assert "nothing of this session is kept" in host.command("pin x y").text.lower()
    host.ephemeral = False
    home(tmp_path, 'mode = "observe"\n')
    assert "only observed" in host.command("memory add x is y").text
    assert host.mutations() == []


@pytest.mark.parametrize("mode", ["active", "observe", "off"])
def test_reading_works_in_every_mode(host: FakeHost, tmp_path: Path, mode: str) -> None:
    home(tmp_path, f'mode = "{mode}"\n[privacy]\nenabled = true\n')
    for line in READS:
        said = host.command(line)
        assert said.text.strip(), line
        assert said.level != "error" or "planned yet" in said.text or "not trusted" in said.text, (line, said.text)


@pytest.mark.parametrize("name", [command.name for command in COMMANDS if not command.takes and command.name != "help"])
def test_what_a_command_does_not_take_is_told(host: FakeHost, name: str) -> None:
    said = host.command(f"{name} kumquat")
    assert (said.level, said.data["errorCode"]) == ("error", "USAGE")
    assert said.text == f"{name.capitalize()} takes no 'kumquat'."


def test_of_a_mistyped_second_word_the_nearest_is_told(host: FakeHost) -> None:
    assert "did you mean history search" in host.command("history serch vendor").text


def test_before_the_first_answer_there_is_no_log(host: FakeHost, tmp_path: Path) -> None:
    host.file.unlink()
    assert "nothing on disk yet" in host.command("status").text
    said = host.command("pins")
    assert (said.level, "Nothing of this session is on disk yet" in said.text) == ("warning", True)


def test_a_session_in_memory_shows_the_calls_of_this_process(engine: Engine, host: FakeHost) -> None:
    made = msgspec.json.decode(MANIFEST.read_bytes(), type=Manifest)
    engine.unsaved.keep(msgspec.structs.replace(made, session="pi:s1"))
    host.ephemeral = True
    assert made.id[:12] in host.command("manifest").text
    assert made.id[:12] in host.command(f"manifest {made.id[:6]}").text
    assert "recent conversation" in host.command("explain").text


@pytest.mark.parametrize(("count", "told"), [(1, "1 more matching message"), (2, "2 more matching messages")])
def test_matches_that_stayed_out_are_counted(engine: Engine, host: FakeHost, count: int, told: str) -> None:
    made = msgspec.json.decode(MANIFEST.read_bytes(), type=Manifest)
    out = tuple(Line("retrieval", 10, "no room was left in the call", f"entry:e{at}") for at in range(count))
    engine.unsaved.keep(msgspec.structs.replace(made, session="pi:s1", excluded=out))
    host.ephemeral = True
    assert f"{told} stayed out:" in host.command("retrieved").text


def test_a_call_of_another_session_is_not_shown(engine: Engine, host: FakeHost) -> None:
    made = msgspec.json.decode(MANIFEST.read_bytes(), type=Manifest)
    engine.unsaved.keep(made)
    assert host.command(f"manifest {made.id}").level == "error"
    assert host.command("manifest").level == "error"


def test_what_is_wrong_with_settings_is_seen(host: FakeHost, tmp_path: Path) -> None:
    home(tmp_path, "[privacy]\nenabled = 5\n")
    assert "privacy.enabled" in host.command("status").text
    assert "privacy.enabled" in host.command("privacy").text


def test_a_damaged_index_is_told_and_made_anew(engine: Engine, host: FakeHost) -> None:
    assert host.command("pin keep it").data["written"] is True
    said = host.command("rebuild-index")
    assert "Read this session anew: 3 entries" in said.text
    assert "keep it" in host.command("pins").text


@pytest.mark.parametrize("line", ["status", "pins", "pin keep it", "health", "explain", "history search x y"])
def test_an_index_that_cannot_be_used_is_told(tmp_path: Path, line: str) -> None:
    database = tmp_path / "home" / "derived" / "history.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"this is no database" * 1_000)
    with Engine(tmp_path / "home", {"HOME": str(tmp_path)}) as engine:
        host = FakeHost(engine, tmp_path)
        host.say("never touch src/vendor")
        said = host.command(line)
        assert (said.level, said.data["errorCode"].startswith("DATABASE")) == ("error", True)
        tool = host.tool("context_history_recall", query="vendor")
        assert tool.data["errorCode"] == "runtime-unavailable"
        assert host.mutations() == []


@pytest.mark.parametrize("words", ["x", "2 x", "0", "1 0", "-1", "\u00b2", "\u0661", "123456789"])
def test_lines_of_an_entry_are_named_by_numbers_from_one_on(host: FakeHost, words: str) -> None:
    assert "never touch src/vendor" in host.command("history read e0001 1 20").text
    assert "is no number of lines" in host.command(f"history read e0001 {words}").text
