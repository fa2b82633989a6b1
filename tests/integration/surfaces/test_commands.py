"""The command line as people use it: what each command answers, where it writes and what it leaves alone."""

import os
import stat
from pathlib import Path

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk

ASKED = ("why did we drop the retry", "because it looped", "and the backoff?", "kept, capped at eight seconds")


def shape(value: object) -> object:
    """The keys of a JSON answer, without its values."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return None


HIT = [
    "source",
    "session_id",
    "entry_id",
    "seq",
    "role",
    "kind",
    "time",
    "surface",
    "title",
    "cwd",
    "snippet",
]


def test_search_answers_with_entries(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    answer = desk.ask("search", "retry")
    assert {"items", "next_cursor", "partial", "warnings"} <= answer.keys()
    first = answer["items"][0]
    assert set(HIT) <= first.keys()
    assert (first["source"], first["session_id"], first["entry_id"], first["seq"]) == ("pi", "p1", "e0000", 0)
    assert (first["role"], first["kind"], first["surface"], first["cwd"]) == ("user", "prompt", "current", logs.HOME)
    assert "retry" in first["snippet"]
    assert first["time"] == logs.BASE
    assert first["resume"].startswith("cd /home/ada/shop && pi --session ")
    assert (answer["partial"], answer["next_cursor"], answer["warnings"]) == (False, None, [])


def test_search_answers_with_sessions_and_their_best_entry(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    item = desk.ask("search", "--sessions", "retry")["items"][0]
    assert (item["source"], item["session_id"], item["entries"]) == ("pi", "p1", 4)
    assert set(HIT) <= item["best"].keys()


def test_index_reports_each_source(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    desk.claude("c1", ASKED)
    first = desk.ask("index")
    assert {row["name"]: (row["sessions"], row["entries"], row["unchanged"]) for row in first["sources"]} == {
        "pi": (1, 4, 0),
        "claude-code": (1, 4, 0),
    }
    assert all(
        {"name", "sessions", "entries", "malformed", "unchanged", "bytes", "seconds"} <= row.keys()
        for row in first["sources"]
    )
    assert "seconds" in first
    again = desk.ask("index")
    assert {row["name"]: (row["sessions"], row["entries"], row["unchanged"]) for row in again["sources"]} == {
        "pi": (1, 0, 1),
        "claude-code": (1, 0, 1),
    }


SESSION = dict.fromkeys((
    "source", "session_id", "title", "cwd", "created", "updated", "entries", "malformed", "origin", "parent", "model",
    "missing", "path", "copy",
))  # fmt: skip
SHAPES = {
    ("sessions",): {
        "items": [SESSION],
        "next_cursor": None,
        "partial": None,
        "problems": [],
        "warnings": [],
    },
    ("verify",): {
        "sessions": None,
        "bytes": None,
        "differences": [],
        "repaired": None,
        "problems": [],
        "damage": [],
        "missing": None,
    },
    ("health",): {"status": None, "ok": None, "checks": [dict.fromkeys(["name", "status", "detail"])]},
    ("storage",): {
        **dict.fromkeys(
            [
                "home",
                "database",
                "wal",
                "page_size",
                "pages",
                "free_pages",
                "sessions",
                "missing",
                "entries",
                "searchable",
                "malformed",
                "generation",
                "schema_version",
            ]
        ),
        "tables": [dict.fromkeys(["name", "bytes"])],
        "kept": [dict.fromkeys(["name", "count", "bytes", "most"])],
    },
    ("rebuild",): {
        "sources": [dict.fromkeys(["name", "sessions", "entries", "malformed", "unchanged", "bytes", "seconds"])],
        "seconds": None,
        "missing": None,
        "partial": None,
        "problems": [],
        "dropped": None,
        "passed": None,
    },
    ("forget", "p1"): {"sessions": [None]},
    ("show", "p1"): {
        "session": SESSION,
        "entries": [dict.fromkeys(["seq", "entry_id", "kind", "role", "time", "surface", "tool", "text", "details"])],
        "target": None,
        "leaves": [None],
        "resume": None,
        "damage": [],
    },
}


@pytest.mark.parametrize("words", SHAPES, ids=" ".join)
def test_the_json_of_every_command_keeps_its_shape(desk: Desk, words: tuple[str, ...]) -> None:
    desk.pi("p1", ASKED)
    desk.ask("index")
    assert shape(desk.ask(*words)) == SHAPES[words]


def test_sources_names_what_is_read_and_what_is_only_recognised(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    desk.put(desk.home / ".copilot" / "session-state" / "s1" / "events.jsonl", b'{"type":"session.start","data":{}}\n')
    rows = {row["name"]: row for row in desk.ask("sources")["sources"]}
    assert (rows["pi"]["sessions"], rows["pi"]["entries"], rows["pi"]["supported"]) == (1, 4, True)
    assert rows["pi"]["places"][0]["path"] == str(desk.pi_folder)
    assert {"codex", "dsh", "gemini", "runtime", "claude-code"} <= rows.keys()
    copilot = [row for row in rows.values() if "copilot" in row["name"]]
    assert [(row["supported"], row["note"]) for row in copilot] == [(False, "found, not supported yet")]


COMMANDS = (
    ("index",),
    ("search", "retry"),
    ("search", "--sessions", "retry"),
    ("search", "--exact", "retry"),
    ("sessions",),
    ("show", "p1"),
    ("show", "p1", "--entry", "e0001"),
    ("sources",),
    ("verify",),
    ("verify", "--repair"),
    ("health",),
    ("storage",),
    ("rebuild",),
    ("forget", "p1"),
    ("index",),
)


def test_no_command_changes_a_source_or_writes_outside_its_data_folder(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    desk.claude("c1", ASKED)
    before = desk.snapshot()
    outside = set(desk.home.parent.iterdir()) | {desk.data}
    folders = {path: path.stat().st_mtime_ns for path in desk.home.rglob("*") if path.is_dir()}
    for words in COMMANDS:
        for more in ((), ("--json",)):
            assert desk.run(*words, *more).code in {0, 2}, words
    assert desk.snapshot() == before
    assert {path: path.stat().st_mtime_ns for path in desk.home.rglob("*") if path.is_dir()} == folders
    assert set(desk.home.parent.iterdir()) == outside


def test_new_folders_and_files_are_the_owners_alone(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    before = os.umask(0)
    try:
        desk.ask("index", "--root", f"pi={desk.pi_folder}")
        desk.ask("forget", "p1")
    finally:
        os.umask(before)
    made = [desk.data, *desk.data.rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_file()} == {0o600}
    assert {path.name for path in made} >= {"history.db", "ledger.jsonl"}


def test_existing_modes_are_kept(desk: Desk) -> None:
    desk.data.mkdir(mode=0o755)
    desk.data.chmod(0o755)
    desk.pi("p1", ASKED)
    desk.ask("index")
    assert stat.S_IMODE(desk.data.stat().st_mode) == 0o755


@pytest.mark.parametrize(
    "words",
    [
        ("show", "nonesuch"),
        ("forget", "nonesuch"),
        ("forget",),
        ("search",),
        ("search", "x", "--limit", "0"),
        ("search", "x", "--cursor", "garbage"),
        ("search", " "),
        ("index", "--root", "pi"),
        ("nonesuch",),
        ("index", "--root", "nonesuch=/tmp"),
        ("index", "--root", "pi=/nonesuch"),
        ("sessions", "--nonesuch"),
        ("search", "a", "--limit", "-1"),
        ("search", "a", "--limit"),
        ("search", "--sessions", "--entries", "x"),
        ("show", "p1", "--entry", "nonesuch"),
        ("show", "p1", "--before", "-1"),
        ("show", "p1", "--after", "3"),
        ("sessions", "--limit", "0"),
        ("completion", "nonesuch"),
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_exit_2(desk: Desk, words: tuple[str, ...]) -> None:
    desk.pi("p1", ASKED)
    answer = desk.run(*words)
    assert answer.code == 2
    assert answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    "words", [("--help",), ("--version",), ("search", "--help"), ("query", "--help"), ("completion", "bash"), ()]
)
def test_help_is_exit_0(desk: Desk, words: tuple[str, ...]) -> None:
    answer = desk.run(*words)
    assert answer.code == 0
    assert answer.out


def test_nothing_found_is_exit_0(desk: Desk) -> None:
    assert desk.run("search", "anything").code == 0
    desk.pi("p1", ASKED)
    assert desk.run("search", "nonesuchword").code == 0
    assert desk.hits("nonesuchword") == []


def test_damaged_records_are_counted_and_exit_0(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    desk.put(
        path, path.read_bytes() + b'{"type":"message","id":"x"\n' + logs.line(logs.pi_entry(4, "after the damage"))
    )
    answer = desk.ask("index")
    assert [(row["entries"], row["malformed"]) for row in answer["sources"]] == [(5, 1)]
    assert desk.hits("damage")[0]["entry_id"] == "e0004"
    health = {check["name"]: check["status"] for check in desk.ask("health")["checks"]}
    assert (health["damage"], health["integrity"]) == ("warn", "ok")
    assert "damaged records skipped: 1" in desk.run("health").out


def test_a_root_is_remembered_and_seen_by_every_later_search(desk: Desk, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    desk.put(elsewhere / "deep" / "x.jsonl", logs.pi("far", ["kumquat marmalade"]))
    desk.ask("index", "--root", f"pi={elsewhere}")
    desk.put(elsewhere / "y.jsonl", logs.pi("farther", ["kumquat jam"]))
    assert {hit["session_id"] for hit in desk.hits("kumquat")} == {"far", "farther"}
    desk.ask("rebuild")
    assert {hit["session_id"] for hit in desk.hits("kumquat")} == {"far", "farther"}


def test_only_roots_leaves_the_default_places_alone(desk: Desk, tmp_path: Path) -> None:
    desk.pi("home", ["kumquat at home"])
    assert desk.ask("index", "--only-roots")["sources"] == []
    desk.put(tmp_path / "elsewhere" / "x.jsonl", logs.pi("far", ["kumquat far away"]))
    report = desk.ask("index", "--only-roots", "--root", f"pi={tmp_path / 'elsewhere'}")
    assert [(row["name"], row["sessions"]) for row in report["sources"]] == [("pi", 1)]
    assert {hit["session_id"] for hit in desk.hits("kumquat", "--no-sync")} == {"far"}
    assert {hit["session_id"] for hit in desk.hits("kumquat")} == {"far", "home"}
    desk.ask("index", "--only-roots")
    assert {hit["session_id"] for hit in desk.hits("kumquat", "--no-sync")} == {"far", "home"}
    assert not any(hit["missing"] for hit in desk.hits("kumquat", "--no-sync"))


def test_a_folder_of_several_names_is_one_place(desk: Desk, tmp_path: Path) -> None:
    log = desk.put(tmp_path / "far" / "x.jsonl", logs.pi("far", ["kumquat far away"]))
    desk.pi("home", ["kumquat at home"])
    for name, folder in (("beside", log.parent), ("agent", desk.pi_folder)):
        (tmp_path / name).symlink_to(folder)
    names = ("far/", "far", "far/../far", "beside", "agent")
    desk.ask(
        "index", *(word for name in names for word in ("--root", f"pi={tmp_path / name}")), f"--root=pi={tmp_path}/far/"
    )
    [pi] = [row for row in desk.ask("sources")["sources"] if row["name"] == "pi"]
    told = [(one["path"], one["kind"], one["sessions"]) for one in pi["places"]]
    assert told == [(str(desk.pi_folder), "default", 1), (str(tmp_path / "far"), "added", 1)]
    assert len(desk.hits("kumquat")) == 2
    desk.ask("index", "--root", f"codex={tmp_path / 'beside'}")
    assert [
        one["path"] for row in desk.ask("sources")["sources"] for one in row["places"] if "beside" in one["path"]
    ] == []


def test_a_folder_that_was_added_for_several_agents_is_told_once_for_each(desk: Desk, tmp_path: Path) -> None:
    far = tmp_path / "far"
    desk.put(far / "a.jsonl", logs.pi("far", ["kumquat far away"]))
    desk.put(far / "b.jsonl", logs.claude("near", ["kumquat near by"]))
    desk.ask("index", "--root", f"claude-code={far}", "--root", f"pi={far}")
    told = {
        row["name"]: [(one["path"], one["sessions"]) for one in row["places"] if one["kind"] == "added"]
        for row in desk.ask("sources")["sources"]
    }
    assert {name: places for name, places in told.items() if places} == {
        "claude-code": [(str(far), 1)], "pi": [(str(far), 1)],
    }  # fmt: skip


def test_agents_own_variables_move_their_places(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put(tmp_path / "moved" / "projects" / "p" / "c9.jsonl", logs.claude("c9", ["kumquat moved"]))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert [hit["session_id"] for hit in desk.hits("kumquat")] == ["c9"]


def test_only_a_terminal_is_shown_what_redaction_hid(desk: Desk) -> None:
    key = "AKIA" + "Q7ZX5T3LMN4VWY2B"
    desk.pi("p1", [f"the key is {key} so far"])
    refused = desk.run("show", "p1", "--reveal")
    assert refused.code == 2
    assert key not in refused.out + refused.err + desk.run("show", "p1").out
    assert key in desk.terminal("show", "p1", "--reveal")
    assert key not in desk.terminal("show", "p1")


def test_output_without_a_terminal_has_no_colour(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    for words in (
        ("search", "retry"),
        ("sessions",),
        ("show", "p1"),
        ("health",),
        ("storage",),
        ("sources",),
        ("verify",),
    ):
        answer = desk.run(*words)
        assert answer.out
        assert "\x1b" not in answer.out + answer.err


def test_help_for_a_group_lists_its_commands(desk: Desk) -> None:
    told = desk.run("memory", "--help").out
    assert "memory expire" in told
    assert "project trust" not in told


@pytest.mark.parametrize("name", ["²", "9" * 5000, str(1 << 63)])
def test_what_only_looks_like_a_number_names_no_entry(desk: Desk, name: str) -> None:
    desk.pi("p1", ASKED)
    answer = desk.run("show", "p1", "--entry", name)
    assert (answer.code, "EVENT_NOT_FOUND" in answer.err) == (2, True)


@pytest.mark.parametrize("command", ["read-event", "trace-event"])
def test_a_number_beyond_all_entries_names_none(desk: Desk, command: str) -> None:
    desk.pi("p1", ASKED)
    desk.run("index")
    answer = desk.run("query", command, "p1", str(1 << 70))
    assert (answer.code, "EVENT_NOT_FOUND" in answer.err) == (2, True)


def test_an_agent_that_nobody_knows_is_said(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    answer = desk.ask("search", "retry", "agent:pie")
    assert answer["items"] == []
    assert "no agent is called pie" in answer["warnings"][0]
    assert desk.ask("search", "retry", "agent:pi")["warnings"] == []
