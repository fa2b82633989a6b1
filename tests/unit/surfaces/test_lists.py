"""Lists of sessions, results and plans fit a terminal of any width; what a pipe gets is never cut."""

import re
from collections.abc import Callable

import pytest

from backstory.records.browsing import SessionRow, SessionsPage, Shown, ShownEntry
from backstory.records.memory import Kept, MemorySource
from backstory.records.memory_requests import Exclusion, KeptAnswer, KeptList, MemorySources
from backstory.records.planning import Comparison, ManifestList, ManifestRow
from backstory.records.retention import BudgetRetention, Recall, RetentionReport
from backstory.records.searching import Hit, SearchPage, SessionHit
from backstory.records.sources import SourcePlace, SourceRow, SourcesReport
from backstory.surfaces.cli.terminal import Terminal
from backstory.surfaces.cli.views import browsing, memory, planning, reports, retention, searching
from backstory.text.charts import columns
from tests.fakes.terminals import terminal

TITLE = "the worker hands a job out twice while the second connection waits for the lock of the first one, every time"
WIDE = "漢字とかなの長い題名がここに立ち、端末の幅を越えてしまうので切られなければならない、二倍の幅があるから"
ID = "019c8b82-092d-769a-a991-f62e16821206"


def row(id_: str, title: str = TITLE, *, missing: bool = False) -> SessionRow:
    return SessionRow("claude-code", id_, title, "/home/ada/shop", 0, 0, 7, 0, "main", None, None, missing, "p1.jsonl")


def sessions(at: Terminal, title: str) -> str:
    rows = (row(ID, title), row(f"{ID}/agent-a3f91c77", title, missing=True))
    return browsing.sessions(SessionsPage(items=rows, next_cursor=None, warnings=(f"{title} {title}",)), at)


def results(at: Terminal, title: str) -> str:
    hit = Hit("claude-code", "p1", "e1", 1, "user", "prompt", 0, "current", title, "/home/ada/shop", f"{title} {title}",
              name="p1", entry="e1")  # fmt: skip
    return searching.found(SearchPage((hit,), None, partial=False, warnings=()), at)


def whole_sessions(at: Terminal, title: str) -> str:
    hit = SessionHit("pi", "p1", title, "/home/ada/src/shop", None, 0, 7, "main", missing=True, resume=None, best=None,
                     name="p1")  # fmt: skip
    return searching.found(SearchPage((hit,), None, partial=False, warnings=()), at)


def manifests(at: Terminal, title: str) -> str:
    return planning.manifests(
        ManifestList((ManifestRow("f" * 32, f"pi:{ID}", 0, "managed", "m", 1_234_567, None),)), at
    )


def memories(at: Terminal, title: str) -> str:
    claim = title if title.isascii() else " ".join(title[start : start + 4] for start in range(0, len(title), 4))
    return memory.kept(KeptAnswer(Kept("memory", "a" * 32, "project", f"{claim} {claim}", 0, ID, "m1", key="key")), at)


def sources(at: Terminal, title: str) -> str:
    folder = "/home/ada/" + title.replace(" ", "-") + "/sessions"
    places = tuple(SourcePlace(folder, kind, kind == "added", 12, 89_000_000) for kind in ("default", "added"))
    found = SourceRow("claude-code", "Claude Code", True, places, 12, 34_567, 3, 89_000_000)  # noqa: FBT003
    return reports.sources(SourcesReport((found,), ()), at)


VIEWS: tuple[Callable[[Terminal, str], str], ...] = (sessions, results, whole_sessions, manifests, memories, sources)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("title", [TITLE, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
def test_no_line_of_a_list_is_wider_than_the_terminal(
    view: Callable[[Terminal, str], str], title: str, width: int
) -> None:
    shown = view(terminal(width), title)
    commands = "  backstory show "  # to be copied, and so left whole
    lines = [line for line in shown.splitlines() if not line.startswith(commands)]
    assert [line for line in lines if columns(line) > width] == []
    assert ID in shown or view != sessions


@pytest.mark.parametrize("view", [sessions, results, whole_sessions, memories, sources], ids=lambda view: view.__name__)
def test_what_a_pipe_gets_is_whole_and_on_one_line(view: Callable[[Terminal, str], str]) -> None:
    shown = view(terminal(None), TITLE)
    assert "…" not in shown
    assert any(TITLE in line or TITLE.replace(" ", "-") in line for line in shown.splitlines())


def test_a_session_takes_one_line_where_its_title_has_room_and_else_two() -> None:
    (head, *narrow), (_, *wide) = (sessions(terminal(width), TITLE).splitlines() for width in (80, 150))
    assert head.split("  ") == ["last entry (UTC)", "agent"]
    assert narrow[1] == f"  {ID}  /home/ada/shop"
    assert wide[0].endswith(f"  {ID}  /home/ada/shop")
    assert all("the worker hands a job" in line and "…" in line for line in (narrow[0], wide[0]))


@pytest.mark.parametrize("width", [60, 120])
def test_a_result_names_its_title_on_one_line_or_on_two(width: int) -> None:
    first, second, *_ = results(terminal(width), TITLE).split("\n")
    if width == 120:
        assert "…  claude-code · you" in first
    else:
        assert first.endswith("…")
        assert second.startswith("  claude-code · you")


@pytest.mark.parametrize("view", [sessions, results, whole_sessions], ids=lambda view: view.__name__)
@pytest.mark.parametrize("width", [60, 80, 120, 150, None])
def test_each_result_says_in_which_folder_it_was(view: Callable[[Terminal, str], str], width: int | None) -> None:
    assert "shop" in view(terminal(width), TITLE)


def test_of_a_long_folder_the_end_is_shown() -> None:
    hit = Hit("pi", "p1", "e1", 1, "user", "prompt", 0, "shadowed", "Shop", f"/home/ada{'/src' * 9}/shop", "text")
    page = SearchPage((hit,), None, partial=False, warnings=())
    assert " · shadowed · …" in searching.found(page, terminal(80))
    assert "src/src/shop\n" in searching.found(page, terminal(80))
    assert f" · {hit.cwd}\n" in searching.found(page, terminal(None))


@pytest.mark.parametrize(
    ("role", "kind", "told"),
    [
        ("user", "prompt", "you"),
        ("user", "message", "agent"),
        ("assistant", "message", "agent"),
        ("user", "boot", "boot"),
    ],
)
def test_a_result_says_who_wrote_it(role: str, kind: str, told: str) -> None:
    hit = Hit("pi", "p1", "e1", 1, role, kind, 0, "current", "Shop", None, "text")
    assert f"pi · {told} · " in searching.found(SearchPage((hit,), None, partial=False, warnings=()), terminal(120))


@pytest.mark.parametrize("title", [TITLE, WIDE], ids=["narrow", "wide"])
def test_what_was_looked_for_is_in_colour_and_breaks_no_line(title: str) -> None:
    hit = Hit("pi", "p1", "e1", 1, "user", "prompt", 0, "current", "Shop", None, f"{title} retries {title}")
    page = SearchPage((hit,), None, partial=False, warnings=(), pieces=("the  lock of", "題名がここ"), words=("retri",))
    plain, coloured = terminal(80), terminal(80)
    coloured.colour = True
    shown = searching.found(page, coloured)
    marks = re.findall(r"\x1b\[1;31m(\S+)\x1b\[0m", shown)
    assert marks.count("retries") == 1
    assert marks.count("lock") == 2 * (title == TITLE)
    assert "".join(marks).count("題名がここ") == 2 * (title == WIDE)
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == searching.found(page, plain)


def test_a_level_that_is_not_the_usual_one_stands_beside_what_is_kept() -> None:
    pins = [Kept("pin", "a" * 32, "session", "x", 0, ID, "m1", level=level) for level in ("normal", "internal")]
    said = [memory.kept_list(KeptList((pin,)), terminal(80)) for pin in pins]
    assert [told.splitlines()[1].endswith("told to Backstory") for told in said] == [True, False]
    assert said[1].endswith("told to Backstory, internal\n")


@pytest.mark.parametrize(
    ("length", "count", "told"),
    [(8, 12, "00000011\n"), (8, 15, "00000011, and 3 more\n"), (36, 3, "02\n"), (36, 15, "02, and 12 more\n")],
)
def test_branches_that_are_not_named_are_counted(length: int, count: int, told: str) -> None:
    shown = Shown(row("p1"), (), None, tuple(f"{at:0{length}}" for at in range(count)), None)
    assert told in browsing.shown(shown, terminal(None))


@pytest.mark.parametrize("width", [80, 100, 120, None])
def test_a_share_of_a_kind_stands_on_one_line_with_its_kind(width: int | None) -> None:
    kinds = {"command": 0.33, "name": 0.82, "number": 0.5, "path": 0.91}
    ways = tuple(Recall(name, 0.712, 0.7, 0.65, 0.9, kinds) for name in ("tail", "tail, card and excerpts"))
    report = RetentionReport(12, 340, (BudgetRetention(16_000, 310, 4_021, ways),), 0.25)
    lines = retention.retention(report, terminal(width)).splitlines()
    telling = [line for line in lines if "0.33" in line]
    assert all("command 0.33  name 0.82  number 0.50  path 0.91" in line for line in telling)
    assert len(telling) == 2
    assert all("0.712" in line for line in telling) == (width not in {80, 100})
    assert width is None or max(map(columns, lines)) <= width


def shown(at: Terminal, title: str) -> str:
    return browsing.shown(Shown(row("p1", title), (), None, (), None), at)


@pytest.mark.parametrize("view", [sessions, results, whole_sessions, manifests, shown], ids=lambda view: view.__name__)
def test_no_line_ends_within_a_time(view: Callable[[Terminal, str], str]) -> None:
    told = 0
    for width in range(24, 161):
        lines = view(terminal(width), TITLE).splitlines()
        told += any("1970-01-01 00:00" in line for line in lines)
        assert not any(line.endswith("1970-01-01") for line in lines), width
    assert told == 161 - 24


@pytest.mark.parametrize(
    ("kept", "told"), [(0, "0 items are in both"), (1, "1 item is in both"), (2, "2 items are in both")]
)
def test_what_two_calls_share_is_counted_in_whole_sentences(kept: int, told: str) -> None:
    assert told in planning.compared(Comparison("a", "b", kept, (), (), 0, 0, 0), terminal(None))


@pytest.mark.parametrize(("text", "rest"), [("x" * 6_200, None), ("x" * 6_201, 201), ("x\n" * 9_000, 12_000)])
def test_of_a_long_text_it_is_said_how_to_see_all(text: str, rest: int | None) -> None:
    entry = ShownEntry(7, "e1", "message", "assistant", 0, "current", None, text)
    told = browsing.shown(Shown(row("p1"), (entry,), None, (), None), terminal(None))
    assert (f"… {rest:,} more characters, with --entry '#7'" in told) if rest else "more character" not in told


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * 800, 800),
        ("x" * 801, 600),
        ("y\n" * 100 + " \n" * 900, 100),
        ("y\n" * 113, 8),
        ("x" * 300 + "y\n" * 113, 308),
    ],
)
def test_around_an_entry_little_of_long_texts_is_shown_and_all_of_itself(text: str, shown: int) -> None:
    entries = [ShownEntry(seq, f"e{seq}", "tool-result", "tool", 0, "current", None, text) for seq in (3, 4, 5)]
    told = browsing.shown(Shown(row("p1"), tuple(entries), 4, (), None), terminal(None))
    before, itself, after = re.split("#[345] tool-result", told)[1:]
    letters = [
        part.partition("…")[0].count("x") + part.partition("…")[0].count("y") for part in (before, itself, after)
    ]
    assert letters == [shown, sum(map(text.count, "xy")), shown]
    assert ("--entry '#3'" in before, "--entry" in itself, "--entry '#5'" in after) == (
        (True, False, True) if shown < sum(map(text.count, "xy")) else (False, False, False)
    )


def test_logs_that_hold_memory_are_listed_with_what_keeps_them_out() -> None:
    ready = MemorySource(ID, "p1.jsonl", "ready", 3, 3, 1, 0)
    damaged = MemorySource("p2", "p2.jsonl", "corrupt", 2, 1, 0, 2, error="a record is not the one that was indexed")
    excluded = MemorySource("p3", "p3.jsonl", "excluded", 1, 1, 1, 0, reason="a test")
    answer = MemorySources("/srv/app", (ready, damaged, excluded), excluded=(Exclusion("p4", "gone"), Exclusion("p5")))
    head, *lines = memory.sources(answer, terminal(200)).splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        f"ready {ID[:12]} 3 records, 1 for the project",
        "corrupt p2 1 record, 0 for the project, 2 damaged lines: a record is not the one that was indexed",
        "excluded p3 1 record, 1 for the project: a test",
        "excluded p4 no record: gone",
        "excluded p5 no record",
    ]
    heads = [
        memory.sources(MemorySources("/a", (), *said), terminal(200)).splitlines()[0]
        for said in ((True,), (True, True))
    ]
    assert [head, *heads] == [
        "/srv/app: not trusted, so what a session's log keeps for the project counts there alone",
        "/a: what a session's log keeps for the project counts there alone; memory.across_sessions is off",
        "/a: what a session's log keeps for the project counts in all its sessions",
    ]
