"""Whoever finds nothing is told why, and what would find something."""

import pytest

from backstory.engine.operations import OPERATIONS
from tests.fakes.desk import Desk

NAMES = [operation.name for operation in OPERATIONS]
TEXTS = ("we fixed the retryable queue parser", "the limit is large")


def warnings(desk: Desk, *words: str) -> list[str]:
    answer = desk.ask(*words)
    assert answer["items"] == []
    found: list[str] = answer["warnings"]
    return found


@pytest.mark.parametrize("command", [("search", "anything"), ("search", "--exact", "this"), ("sessions",)])
def test_an_empty_index_says_where_it_looked_and_what_to_run(desk: Desk, command: tuple[str, ...]) -> None:
    looked, add = warnings(desk, *command)
    assert looked.startswith("nothing is indexed")
    assert str(desk.pi_folder) in looked
    assert "backstory index --root" in add
    assert "backstory sources" in add
    assert looked in desk.run(*command).out


@pytest.mark.parametrize("command", [("search", "anything"), ("sessions",)])
def test_an_index_that_was_not_to_be_made_is_named(desk: Desk, command: tuple[str, ...]) -> None:
    desk.pi("p1", TEXTS)
    [told] = warnings(desk, *command, "--no-sync")
    assert told == "nothing is indexed yet; run: backstory index"
    assert desk.ask(*command)["warnings"] != [told]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("->",), "no entry of 1 session holds this"),
        (("nonesuchword",), "nor words like them; --exact looks inside words"),
        (("queue", "agent:codex"), "without agent:codex there are results"),
        (("queue", "agent:pi", "role:tool"), "without role:tool there are results"),
        (("queue", "role:tool", "role:system"), "without role:tool role:system there are results"),
        (("queue", "agent:codex", "role:tool"), "without agent:codex role:tool there are results"),
        (("nonesuchword", "role:tool"), "no entry of 1 session holds this"),
        (("--exact", "Queue"), "without --exact something like it is found"),
        (("--exact", "queue", "agent:pi"), "with --exact, agent:pi is text to be found, not a filter"),
        (("--exact", "nonesuchword"), "no entry of 1 session holds this"),
        (("--no-expand", "parsre"), "without --no-expand words like these are found"),
        (("--sessions", "queue", "agent:codex"), "without agent:codex there are results"),
    ],
)
def test_what_keeps_the_answer_out_is_named(desk: Desk, words: tuple[str, ...], told: str) -> None:
    desk.pi("p1", TEXTS)
    assert told in warnings(desk, "search", *words)[-1]


@pytest.mark.parametrize("which", ["search-events", "search-sessions"])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nonesuchword", "--mode", "relevance"), "no event holds these words, nor words like them"),
        (("queue", "--mode", "relevance", "--role", "tool"), "without these conditions there are results"),
        (("queue", "--mode", "relevance", "--origin", "fork"), "without these conditions there are results"),
        (("parsre", "--mode", "relevance", "--no-expand"), "without --no-expand words like these are found"),
        (("queues",), "--mode relevance finds something like it"),
        (("nonesuchword",), "no event holds this"),
        (("queue", "parser", "retryable"), "--mode relevance looks for any of them"),
    ],
)
def test_a_query_that_finds_nothing_says_what_would(desk: Desk, which: str, words: tuple[str, ...], told: str) -> None:
    desk.pi("p1", TEXTS)
    page = desk.run("query", which, *words, "--json").json
    assert page["items"] == []
    assert told in page["warnings"][-1]
    assert told in " ".join(desk.run("query", which, *words).out.split())


@pytest.mark.parametrize("more", [("--no-sync",), ()])
def test_a_query_of_an_empty_index_says_so(desk: Desk, more: tuple[str, ...]) -> None:
    page = desk.run("query", "search-events", "queue", "--json", *more).json
    assert page["warnings"][0].startswith("nothing is indexed")
    assert desk.database.exists() is not bool(more)


def test_a_query_within_a_session_names_the_condition(desk: Desk) -> None:
    desk.pi("p1", TEXTS)
    desk.pi("p2", ("something else",))
    page = desk.run("query", "search-events", "queue", "--session", "p2", "--mode", "relevance", "--json").json
    assert page["warnings"] == ["without these conditions there are results"]


@pytest.mark.parametrize("more", [(), ("--sessions",)])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("role:tool",), "role:tool"),
        (("role:tool", "role:system"), "role:tool role:system"),
        (("role:user", "tool:bash"), "tool:bash"),
        (("role:user", "tool:bash", "agent:codex"), "tool:bash or agent:codex"),
        (("before:2020-01-01", "role:nobody"), "before:2020-01-01"),
        (('project:"no such place"',), 'project:"no such place"'),
        (
            ("after:2026-01-01T00:01", "before:2026-01-01T00:01", "role:nobody"),
            "after:2026-01-01T00:01 before:2026-01-01T00:01 together",
        ),
        (
            ("role:assistant", "before:2026-01-01T00:01", "after:2025"),
            "role:assistant before:2026-01-01T00:01 after:2025 together; without role:assistant there are results",
        ),
    ],
)
def test_of_conditions_alone_those_that_exclude_everything_are_named(
    desk: Desk, words: tuple[str, ...], told: str, more: tuple[str, ...]
) -> None:
    desk.pi("p1", TEXTS)
    assert warnings(desk, "search", *more, *words)[-1] == f"no entry of 1 session meets {told}"
    assert told in " ".join(desk.run("search", *more, *words).out.split())


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("agnet:pi", ["agnet:pi was looked for as it stands; agent:pi would be a filter"]),
        ("Role:user", ["Role:user was looked for as it stands; role:user would be a filter"]),
        ("https://example.test/x", []),
        ("note:x", []),
        ("agent:pi", []),
    ],
)
def test_a_slip_in_a_filter_is_told(desk: Desk, word: str, told: list[str]) -> None:
    desk.pi("p1", TEXTS)
    answer = desk.ask("search", word, "queue")
    assert answer["items"]
    assert [one for one in answer["warnings"] if "filter" in one] == told


def test_what_is_found_brings_no_hint(desk: Desk) -> None:
    desk.pi("p1", TEXTS)
    assert desk.ask("search", "queue")["warnings"] == []
    assert desk.ask("sessions")["warnings"] == []


def test_a_list_that_a_person_narrowed_is_not_called_empty(desk: Desk) -> None:
    desk.pi("p1", TEXTS)
    assert not any("indexed" in one for one in warnings(desk, "sessions", "--project", "elsewhere"))


@pytest.mark.parametrize(
    ("words", "crowded"),
    [
        (("quince", "--limit", "6"), "6 of 6 are of one session: --sessions shows each session once"),
        (("quince", "--limit", "10"), "9 of 10 are of one session: --sessions shows each session once"),
        (("quince", "--limit", "4"), None),
        (("quince", "--limit", "40"), None),
        (("plum", "--limit", "6"), None),
    ],
)
def test_a_page_of_one_session_says_how_to_see_others(desk: Desk, words: tuple[str, ...], crowded: str | None) -> None:
    desk.pi("p1", [f"the quince is ripe, said {number}" for number in range(9)])
    for number in range(7):
        desk.pi(f"q{number}", [f"plum {number}", "another word and the quince among many others here"])
    told = [line for line in desk.run("search", *words).out.splitlines() if "of one session" in line]
    assert told == ([crowded] if crowded else [])


def test_a_measurement_of_nothing_says_why_and_shows_no_table(desk: Desk) -> None:
    told = desk.run("eval", "retention").out
    assert "nothing is indexed" in told
    desk.pi("p1", TEXTS)
    told = desk.run("eval", "retention").out
    assert "No session is long enough to measure: of 1 session none has 160,000 characters" in told
    assert "tokens" not in told
    assert len(desk.run("eval", "retention", "--json").json["warnings"]) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("serch", "quince"), "did you mean: backstory search"),
        (("sesions",), "did you mean: backstory sessions"),
        (("query", "read-sesion"), "did you mean: backstory query read-session"),
        (("pi", "dotcor"), "did you mean: backstory pi doctor"),
        (("memory", "ad"), "did you mean: backstory memory add"),
        (("memory", "inv"), "did you mean: backstory memory invalidate"),
        (("explain",), "did you mean: backstory manifest explain"),
        (("trust",), "did you mean: backstory project trust"),
        (("list",), "did you mean: backstory manifest list, or backstory memory list"),
        (("mem",), "did you mean: backstory memory, or "),
        (("--verison",), "did you mean: backstory --version"),
        (("version",), "did you mean: backstory --version"),
        (("plan", "dif"), "no session is called 'dif'; did you mean: backstory plan diff"),
        (("why", "did", "we"), "to look for these words, write: backstory search WORDS"),
        (("why did we drop it",), "to look for these words, write: backstory search WORDS"),
        (("--json", "sessions"), "no option stands before a command; write it behind: backstory sessions … --json"),
        (("manifest", "--json", "list"), "write it behind: backstory manifest list … --json"),
        (("--limit", "5", "search", "x"), "write it behind: backstory search … --limit"),
        (("memory", "--all"), "write it behind: backstory memory COMMAND … --all"),
        (("help", "nonesuch"), "no command is called 'nonesuch'"),
        (("nonesuch",), "backstory --help lists the commands"),
    ],
)
def test_a_slip_in_a_command_is_understood_but_not_obeyed(desk: Desk, words: tuple[str, ...], told: str) -> None:
    answer = desk.run(*words)
    assert answer.code == 2
    assert told in answer.err
    assert answer.err.splitlines()[0].endswith(("[USAGE]", "[SESSION_NOT_FOUND]"))


GROUPS = sorted({name.split()[0] for name in NAMES if " " in name} - set(NAMES))


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_of_commands_shows_them(desk: Desk, group: str) -> None:
    alone, helped, wrong = (desk.run(*words) for words in ((group,), ("help", group), (group, "nonesuch")))
    assert (alone.code, alone.err) == (0, "")
    assert alone.out == helped.out == desk.run(group, "--help").out
    assert (wrong.code, wrong.out) == (2, "")
    for name in NAMES:
        if name.startswith(f"{group} "):
            assert f"  {name}  " in alone.out
            assert f"  {name}  " in wrong.err
    assert "search" not in alone.out or group in {"memory", "query", "project", "artifact"}


def test_the_list_of_commands_begins_with_searching_and_says_how_to_begin(desk: Desk) -> None:
    out = desk.run("--help").out
    assert out.endswith("To begin, type what you remember: backstory search WORDS\n")
    assert "  search  " in out.split("\n\n")[1]


def test_the_version_is_asked_for_in_both_ways(desk: Desk) -> None:
    assert desk.run("-V").out == desk.run("--version").out


@pytest.mark.parametrize("name", ["search", "plan diff", "memory add"])
def test_help_of_a_command_is_asked_for_in_both_ways(desk: Desk, name: str) -> None:
    answer = desk.run("help", *name.split())
    assert answer.code == 0
    assert answer.out == desk.run(*name.split(), "--help").out


def test_a_snippet_is_broken_between_words_only(desk: Desk) -> None:
    path = "/srv/shop/" + "very-long-folder-name/" * 6 + "quince.py"
    desk.pi("p1", [f"look at {path} and " + "never-cut-a-word " * 4])
    text = [line for line in desk.run("search", "look").out.splitlines() if line.startswith("  ")][:-1]
    assert text[:2] == ["  look at", f"  {path}"]
    assert set(" ".join(text[2:]).split()) == {"and", "never-cut-a-word"}
    assert all(len(line) <= 98 for line in text[2:])


@pytest.mark.parametrize(
    "command", [("list-sessions",), ("search-sessions", "queue"), ("search-events", "queue")], ids=lambda one: one[0]
)
def test_a_source_that_no_agent_has_is_told_with_those_that_exist(desk: Desk, command: tuple[str, ...]) -> None:
    desk.pi("p1", TEXTS)
    answer = desk.run("query", *command, "--source", "pie", "--json")
    assert (answer.code, answer.json["items"]) == (0, [])
    [told] = answer.json["warnings"]
    assert told == "no agent is called pie; known: claude-code, codex, dsh, gemini, pi, runtime"
    assert f"note: {told}" in desk.run("query", *command, "--source", "pie").out
    assert desk.run("query", *command, "--source", "pi", "--json").json["warnings"] == []


def test_what_a_date_of_a_session_means_is_said(desk: Desk) -> None:
    desk.pi("p1", TEXTS)
    head, line = desk.run("sessions").out.splitlines()
    assert head == "last entry (UTC)  agent"
    assert line.startswith("2026-01-01 00:01  pi ")
    assert " begun 2026-01-01 00:00 " in desk.run("query", "list-sessions").out
    assert " begun 2026-01-01 00:00 " in desk.run("show", "p1").out


@pytest.mark.parametrize(
    ("word", "agents"),
    [
        ("agent:claude", {"claude-code"}),
        ("agent:Claude-Code", {"claude-code"}),
        ("agent:PI", {"pi"}),
        ("source:cl", {"claude-code"}),
        ("surface:CURRENT", {"pi", "claude-code"}),
        ("role:assist", {"pi", "claude-code"}),
        ("kind:Mess", {"pi", "claude-code"}),
        ("role:USER", set()),
    ],
)
def test_a_value_may_be_begun_and_written_in_either_case(desk: Desk, word: str, agents: set[str]) -> None:
    desk.pi("p1", TEXTS)
    desk.claude("c1", TEXTS)
    answer = desk.ask("search", word, "limit")
    assert {hit["source"] for hit in answer["items"]} == agents
    if agents:
        assert answer["warnings"] == []


def test_an_agent_may_be_begun_in_a_list(desk: Desk) -> None:
    desk.pi("p1", TEXTS)
    desk.claude("c1", TEXTS)
    for name in ("claude", "Claude-Code", "claude-code"):
        assert [row["session_id"] for row in desk.ask("sessions", "--agent", name)["items"]] == ["c1"]


@pytest.mark.parametrize("word", ["kind:tool", "surface:x", "agent:nobody"])
def test_a_value_that_several_or_none_begin_with_is_told(desk: Desk, word: str) -> None:
    desk.pi("p1", TEXTS)
    [told] = [one for one in desk.ask("search", word, "limit")["warnings"] if "known" in one]
    assert word.partition(":")[2] in told


def test_an_index_that_is_not_complete_is_not_said_to_hold_nothing(desk: Desk) -> None:
    for number in range(3):
        desk.pi(f"p{number}", TEXTS)
    answer = desk.ask("search", "quince", "--budget", "0")
    assert (answer["partial"], answer["items"], answer["warnings"]) == (True, [], [])
    assert "no entry" in desk.ask("search", "quince")["warnings"][0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--project", "nowhere"), "none of 1 session meets --project nowhere"),
        (("--agent", "codex"), "none of 1 session meets --agent codex"),
        (("--agent", "codex", "--project", "shop"), "none of 1 session meets --agent codex --project shop"),
    ],
)
def test_a_list_that_a_condition_leaves_empty_names_it(desk: Desk, words: tuple[str, ...], told: str) -> None:
    assert warnings(desk, "sessions", *words)[0].startswith("nothing is indexed")
    desk.pi("p1", TEXTS)
    assert warnings(desk, "sessions", *words) == [told]
    assert told in desk.run("sessions", *words).out
    assert desk.ask("sessions", "--agent", "pi")["warnings"] == []


@pytest.mark.parametrize(
    "words",
    [("forget", "p1"), ("memory", "exclude", "p1"), ("memory", "include", "p1"), ("show", "p1"), ("pins", "p1")],
)
def test_a_session_that_no_command_has_seen_yet_is_known(desk: Desk, words: tuple[str, ...]) -> None:
    desk.pi("p1", TEXTS)
    assert desk.run(*words).code == 0
    assert desk.run(*words[:-1], "p2").code == 2
