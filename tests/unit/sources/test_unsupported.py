import shutil
from pathlib import Path

import pytest

from backstory.sources import registry
from backstory.sources.unsupported import AGENTS, discover, identify

FIXTURES = Path(__file__).parents[2] / "fixtures" / "recognised"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("copilot/small.jsonl", "copilot"),
        ("copilot/subdir_v1/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl", "copilot"),
        ("cursor/large.jsonl", "cursor"),
        ("droid/session_store_small.jsonl", "droid"),
        ("droid/stream_json_large.jsonl", "droid"),
        ("opencode/storage_v2/session/proj_test/ses_s_stage0_small.json", "opencode"),
        ("opencode/storage_v2/part/m_user_small/001.json", None),
    ],
)
def test_a_file_is_identified_by_its_beginning(file: str, name: str | None) -> None:
    path = FIXTURES / file
    found = identify(str(path), path.read_bytes())
    assert (found and found.name) == name


def test_agents_that_can_be_read_are_not_listed() -> None:
    assert not {agent.name for agent in AGENTS} & set(registry.names())


def test_no_source_claims_a_log_it_cannot_read() -> None:
    files = [path for path in FIXTURES.rglob("*") if path.is_file()]
    sources = [registry.load(name) for name in registry.names()]
    claimed = [
        (source.location.name, file.name)
        for file in files
        for source in sources
        if file.name.endswith(source.location.suffixes) and source.recognise(str(file), file.read_bytes())
    ]
    assert files
    assert claimed == []


def test_default_places_are_looked_into(tmp_path: Path) -> None:
    home = tmp_path / "home"
    copies = {
        "opencode/storage_v2": ".local/share/opencode/storage",
        "copilot/subdir_v1": ".copilot/session-state",
        "droid": ".factory/sessions",
        "cursor/subagent": ".cursor/projects/x/agent-transcripts",
    }
    for origin, target in copies.items():
        shutil.copytree(FIXTURES / origin, home / target)
    (home / ".cursor/chats/a/b").mkdir(parents=True)
    shutil.copy(FIXTURES / "cursor/test-store.db", home / ".cursor/chats/a/b/store.db")
    (home / "work").mkdir()
    (home / "work/.aider.chat.history.md").write_text(
        "\n# aider chat started at 2026-01-01 10:00:00\n", encoding="utf-8"
    )
    found = {each.name: each for each in discover(str(home), {})}
    assert set(found) == {"opencode", "copilot", "droid", "cursor", "aider"}
    assert found["opencode"].path == str(home / ".local/share/opencode")
    assert "store.db" in found["cursor"].evidence


def test_the_environment_moves_a_place(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "copilot/subdir_v1", tmp_path / "moved/session-state")
    assert list(discover(str(tmp_path / "nobody"), {})) == []
    found = list(discover(str(tmp_path / "nobody"), {"COPILOT_HOME": str(tmp_path / "moved")}))
    assert [each.name for each in found] == ["copilot"]


def test_files_that_only_look_like_sessions_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".factory/sessions").mkdir(parents=True)
    (tmp_path / ".factory/sessions/a.jsonl").write_bytes(b'{"type":"other"}\n')
    (tmp_path / ".local/share/opencode").mkdir(parents=True)
    (tmp_path / ".local/share/opencode/opencode.db").write_bytes(b"")
    assert list(discover(str(tmp_path), {})) == []
