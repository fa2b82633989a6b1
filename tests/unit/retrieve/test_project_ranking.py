"""The pure parts of project ranking: descriptors, words, scores, cards."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backstory.records.project import Snippet
from backstory.retrieve.project.cards import RANGE_TOKENS, cards
from backstory.retrieve.project.companions import along
from backstory.retrieve.project.ranking import RankedSource
from backstory.retrieve.project.scope import FILE_BONUS, FOLDER_BONUS, bonus, scoped
from backstory.retrieve.project.scores import (
    Signals,
    chunk_scores,
    combine,
    idf,
    is_code,
    is_test,
    prior,
    text_score,
)
from backstory.retrieve.project.words import ASKING_WEIGHT, pairs, said, selecting, specific, tickets, told, words
from backstory.retrieve.task import FileMention, Task, describe, pointing, without_places
from backstory.store.project.search import FileFact
from backstory.text.accents import stopword
from backstory.text.identifiers import compound, joined, parts


def stem(text: str) -> list[str]:
    return [word.lower().rstrip("s") for word in text.replace("_", " ").replace("-", " ").split()]


def test_what_a_request_names() -> None:
    task = describe(
        'Fix `Session.send` in src/http/client.py:42 and C:\\app\\main.ts; see "no such column", ERR_TIMEOUT, '
        "ENOENT, --dry-run and parseRequest. Something Else happened, e.g. in React."
    )
    assert task.files == (FileMention("src/http/client.py", 42), FileMention("C:/app/main.ts"))
    assert {"Session.send", "--dry-run", "parseRequest"} <= set(task.symbols)
    assert not {"Something", "Else", "Fix"} & set(task.symbols)
    assert {"ERR_TIMEOUT", "ENOENT"} <= set(task.errors)
    assert task.phrases == ("no such column",)


@pytest.mark.parametrize(
    ("trace", "path", "line"),
    [
        ('  File "/srv/app/views.py", line 17, in get', "/srv/app/views.py", 17),
        ("    at load (/srv/app/src/load.ts:12:5)", "/srv/app/src/load.ts", 12),
        ("    at async run (file:///srv/app/index.mjs:3:1)", "/srv/app/index.mjs", 3),
        ("file:///C:/app/main.ts#L42", "C:/app/main.ts", 42),
        ("\t/srv/app/main.go:33 +0x1d", "/srv/app/main.go", 33),
        ("  --> src/lib.rs:8:13", "src/lib.rs", 8),
        ("\tat com.app.Main.run(Main.java:25)", "Main.java", 25),
        ("app/models/user.rb:9:in `save'", "app/models/user.rb", 9),
        ("Program.cs:line 4", "Program.cs", 4),
        ("at Shop.Cart.Add() in src/Cart.cs:line 64", "src/Cart.cs", 64),
        ("Fatal error: thrown in src/User.php on line 203", "src/User.php", 203),
        ("look at src/cart.py line 7", "src/cart.py", 7),
        ("src/cart.py: 5 failures", "src/cart.py", None),
    ],
)
def test_files_and_lines_are_read_out_of_stack_traces(trace: str, path: str, line: int | None) -> None:
    assert FileMention(path, line) in describe(trace).files


@given(st.text(max_size=300))
def test_any_text_can_be_described(text: str) -> None:
    task = describe(text)
    assert len(task.files) <= 16
    assert len(task.symbols) <= 20
    assert len(task.terms) <= 24
    lowered = [term.lower() for term in task.terms]
    assert len(set(lowered)) == len(lowered)


def test_workflow_words_are_silent_in_two_languages() -> None:
    for word in ("please", "Continue", "perché", "PERCHE", "verifica", "così", "the"):
        assert stopword(word)
    for word in ("screen", "input", "cursor", "schermata"):
        assert not stopword(word)


def test_identifiers_come_apart_and_together() -> None:
    assert parts("parseHTTPRequest_v2") == ("parse", "http", "request", "v", "2")
    assert joined("foo_bar") == joined("fooBar") == "foobar"
    assert compound("fooBar")
    assert not compound("foo")


def test_spellings_meet() -> None:
    for spelling in ("parse_request", "parseRequest", "ParseRequest"):
        found = words(spelling, describe(spelling), stem)
        assert ("parserequest", "parse request") in [word.phrases for word in found]
        assert {word.phrases[0] for word in found if word.simple} == {"parse", "request"}


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("cursor", False),
        ("fix cursor", False),
        ("cursor pages", True),
        ("`x1`", True),
        ("a.py", True),
        ("per favore", False),
    ],
)
def test_a_lone_word_is_not_enough(text: str, enough: bool) -> None:  # noqa: FBT001
    task = describe(text)
    assert specific(task, words(text, task, stem)) is enough


@pytest.mark.parametrize(
    ("text", "enough"),
    [("cursor", True), ("fix lint", True), ("small fix", True), ("fix", False), ("check resume", False), ("", False)],
)
def test_some_words_say_something_all_the_same(text: str, enough: bool) -> None:  # noqa: FBT001
    assert said(words(text, Task(), stem)) is enough


def test_noise_counts_little_and_repetition_more() -> None:
    found = {word.shown: word.weight for word in words("fix fix cursor cursor pages", Task(), stem)}
    assert found["fix"] < found["pages"] < found["cursor"]


def test_words_of_asking_count_in_source_but_tell_nothing() -> None:
    found = {word.shown: word.weight for word in words("please check why resume prints the lease", Task(), stem)}
    assert found["check"] == found["resume"] == ASKING_WEIGHT
    assert found["lease"] == 1
    assert not {"please", "why", "the"} & found.keys()
    assert not specific(Task(), words("check resume", Task(), stem))


@pytest.mark.parametrize(
    ("request_", "scope", "rest"),
    [
        ("fix(explain): show the branch", "explain", " show the branch"),
        ("feat(ui, list)!: sort", "ui, list", " sort"),
        ("parser: accept tabs", "parser", " accept tabs"),
        ("cmd/indexer, web: sort", "cmd/indexer, web", " sort"),
        ("**headers:** merge", "headers", "** merge"),
        ("[docs] mend a link", "docs", " mend a link"),
        ("chore: tidy", "", " tidy"),
        ("use std::mem::take in place of a copy", "", "use std::mem::take in place of a copy"),
        ("wait 3 seconds: too long", "", "wait 3 seconds: too long"),
        ("", "", ""),
    ],
)
def test_the_head_of_a_request_is_its_scope(request_: str, scope: str, rest: str) -> None:
    found = scoped(request_)
    assert (found.scope, found.text) == (scope, rest)


def test_paths_that_bear_the_scope_are_preferred() -> None:
    names = scoped("fix(manual-commit, cmd/explain, io): x").names
    assert names == {"manualcommit", "explain"}
    assert bonus("cli/explain.go", names) == FILE_BONUS
    assert bonus("cli/manual_commit/hooks.go", names) == FOLDER_BONUS
    assert bonus("explained/all.go", names) == 0
    assert bonus("explain.go", scoped("explain the lease").names) == 0


@given(st.text(max_size=200) | st.from_regex(r"\A\w{1,9}\([\w /,*-]{1,20}\)!?: .{0,20}", fullmatch=True))
@example("fix(manual-commit, cmd/explain): x")
def test_any_request_has_a_scope_and_a_rest(text: str) -> None:
    found = scoped(text)
    assert text.endswith(found.text)
    assert all(name.isalnum() and name.isascii() for name in found.names)


def test_words_of_a_scope_count_whatever_they_are() -> None:
    found = {word.shown: word.weight for word in words("lease", Task(), stem, "fix-explain")}
    assert found == {"fix": 1, "explain": 1, "lease": 1}


def test_words_side_by_side_are_told_across_grammar() -> None:
    text = "truncate by runes, then truncate runes: a parseLine of a lease lease"
    found = words(text, Task(), stem)
    shown = [(found[left].shown, found[right].shown) for left, right in pairs(text, found, stem)]
    assert shown == [("truncate", "runes"), ("runes", "truncate")]


@pytest.mark.parametrize(
    "ending",
    [
        "\n\n\N{ROBOT FACE} Generated with [A Tool](https://tool.example)\n\nCo-Authored-By: A Tool <a@tool.example>",
        "\n\n\N{ROBOT FACE} Generated with A Tool",
        "\nGenerated by [A Tool](https://tool.example/code)",
        "\n\nTool-Checkpoint: 0123abcdef12",
        "\n\n(cherry picked from commit 0123456789abcdef0123456789abcdef01234567)",
        " [skip ci]",
        "\n\nChange-Id: I8473b95934b5732ac55d26311a706c9c2bde9940\nTool-Strategy: by hand\n\nTool-Issue: #4711\n",
        "\n\nReviewed-on: https://review.example/c/417\r\nSession-Id: 0bb9a2d9-a51e-4d5a-8275-566c766a0ff2",
    ],
)
def test_what_tools_write_below_a_message_is_no_part_of_what_is_told(ending: str) -> None:
    assert told("Let sessions expire\n\nClock: of the host" + ending).split() == [
        "Let",
        "sessions",
        "expire",
        "Clock:",
        "of",
        "the",
        "host",
    ]
    assert told("Let sessions expire" + ending).strip() == "Let sessions expire"


@pytest.mark.parametrize(
    "text",
    [
        "Send the right header\n\nContent-Type: application/json",
        "Header-Name: 0123abcdef12",
        "Generated by the parser of tables",
        "Parse what follows\nTool-Checkpoint: 0123abcdef12\nand hide sessions",
        "Tables\n\nThe code is generated with [A Tool](tool.md) and kept",
    ],
)
def test_lines_that_only_look_like_it_are_told(text: str) -> None:
    assert {*told(text).split()} == {*text.split()}


def test_chores_people_and_addresses_are_no_part_of_what_is_told() -> None:
    message = """
    Let sessions expire (#1234)

* Fix lint, typos and tests
* Apply suggestions from code review
* Merge branch 'main' into expiry
* Keep the clock of a session
---------

Closes https://github.com/owner/name/issues/7
Co-authored-by: Ann Other <ann@users.noreply.example.com>
Signed-off-by: Ann Other <ann@example.com>
"""
    assert told(message) == "Let sessions expire  \n* Keep the clock of a session"
    assert told("fix the tests") == "fix the tests"
    assert told("See https://example.com/a.html for why it fails") == "See   for why it fails"
    assert told("") == ""


@pytest.mark.parametrize(
    ("text", "rest", "numbers"),
    [
        ("Facets of a view, closes #1234", "Facets of a view,", ["1234"]),
        ("Refs #1234, #1235", ",", ["1234", "1235"]),
        ("Parse rows (#345)", "Parse rows", ["345"]),
        ("Fixes issue owner/some.name#345: rows", ": rows", ["345"]),
        ("Parse rows, closes https://example.com/own/name/issues/345#comment", "Parse rows,  #comment", ["345"]),
        ("See https://example.com/345/a for rows", "See   for rows", []),
        ("Close the file, see #12", "Close the file,", []),
        ("Colours like #fff in C# 7", "Colours like #fff in C# 7", []),
    ],
)
def test_numbers_of_issues_are_for_history_alone(text: str, rest: str, numbers: list[str]) -> None:
    assert told(text).strip() == rest
    assert tickets(text) == numbers


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (
            'Traceback (most recent call last):\n  File "/home/ada/src/tills.py", line 42, in main\n    open(till)\n',
            '"tills, in main\n    open(till)',
        ),
        (
            "TypeError: no till\n    at open (/home/ada/shop/src/tills.ts:12:7)",
            "TypeError: no till\n    at open (tills:7)",
        ),
        ("main.open(...)\n\t/home/ada/shop/tills.go:42 +0x1d", "main.open(...)\n\ttills +0x1d"),
        ("panicked at src/tills.rs:12:5:\nno till", "panicked at tills:5:\nno till"),
        ("the lock in src/tills.py line 7 is late", "the lock in tills is late"),
        ("the lock in src/tills.py is late", "the lock in src/tills.py is late"),
        ("at 12:30 the till fell", "at 12:30 the till fell"),
    ],
)
def test_of_a_place_in_a_file_the_name_of_the_file_is_told(text: str, rest: str) -> None:
    assert told(text) == rest
    assert without_places(without_places(text)) == without_places(text)


MENTIONS = ("fixes ", "#1", "#22", "Close ", "(", ")", ", ", "/issues/3", "https://a.test/b/c", " ", "\n", "a.1", "#")


@given(st.lists(st.sampled_from(MENTIONS), max_size=30).map("".join))
@example("Fixes #12, closes #7")
def test_numbers_of_issues_are_found_in_any_text(text: str) -> None:
    assert all(number in text for number in tickets(text))
    assert tickets(told(text)) == [] or "#" in told(text)


def test_rare_words_select_within_the_budget() -> None:
    found = words("alpha beta gamma delta", Task(), stem)
    for word, docs in zip(found, (10, 500, 2, 0), strict=True):
        word.docs = docs
    assert [word.shown for word in selecting(found, 100, 9)] == ["gamma", "alpha"]
    assert [word.shown for word in selecting(found, 1, 9)] == ["gamma"]


def test_priors_follow_the_request() -> None:
    assert prior("src/a.py", tests=False, documents=False) == 1.0
    assert prior("tests/test_a.py", tests=False, documents=False) < 1.0
    assert prior("tests/test_a.py", tests=False, documents=False) < prior("tests/a.py", tests=True, documents=False) < 1
    assert prior("web/a.spec.ts", tests=False, documents=False) < 1.0
    assert prior("docs/a.md", tests=False, documents=False) < prior("docs/a.md", tests=False, documents=True)
    for path in ("src/contest.py", "src/latest/a.py", "src/testimony/a.py", "src/inspect/a.py", "src/contests.py"):
        assert prior(path, tests=False, documents=False) == 1.0, path
    for path in ("cmd/integration_test/env.go", "e2e-tests/run.ts", "src/test_utils/a.py", "lib/__mocks__/a.js"):
        assert prior(path, tests=False, documents=False) < 1.0, path
    for path in ("src/parse/tests.rs", "shop/tests.py", "benches/parse.rs"):
        assert is_test(path), path


@pytest.mark.parametrize(
    "name", ["init.fish", "init.nu", "run.bat", "core.cljs", "kernel.cu", "rules.bzl", "page.astro"]
)
def test_a_language_is_code_however_rare(name: str) -> None:
    assert is_code(f"src/{name}")
    assert not is_code(f"docs/{name}")


def test_what_changes_along_with_the_best_files() -> None:
    rows = [(1, age, 2, file) for age in range(4) for file in (1, 2)] + [(1, 9, 2, 1), (1, 9, 2, 3)]
    found = along({1: 1.0, 4: 1.0}, rows)
    assert 0 < found[3] < found[2] < 0.5
    assert set(found) == {2, 3}
    crowd = along({1: 1.0}, [(1, 0, 17, 1), (1, 0, 17, 2)])
    pair = along({1: 1.0}, [(1, 0, 2, 1), (1, 0, 2, 2)])
    assert crowd[2] == pytest.approx(pair[2] / 4)
    assert pair[2] == pytest.approx(0.5)
    assert along({}, []) == {}


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("src/a.py", True),
        ("src/a.py:12", True),
        ("show me `src/a.py` and b.py", True),
        ("src/a.py#L3-L9", True),
        ("src/a.py parser", False),
        ("rename src/a.py", False),
        ("parser", False),
        ("src/a.py " * 200, False),
    ],
)
def test_a_request_may_name_files_alone(text: str, alone: bool) -> None:  # noqa: FBT001
    assert pointing(describe(text), text) is alone


def test_chunk_scores_count_positions_between_cuts() -> None:
    scores, best = chunk_scores([1.0, 2.0], {}, [[1, 2, 12], [25]], [10, 20, 30], 10.0)
    assert scores[2] > scores[0] > scores[1] > 0
    assert best[1] == scores[2]
    raised, _ = chunk_scores([1.0, 2.0], {0: 1}, [[1, 2, 12], [25]], [10, 20, 30], 10.0)
    assert all(after > before for after, before in zip(raised, scores, strict=True))


@given(
    st.lists(st.integers(0, 99), max_size=60, unique=True),
    st.lists(st.integers(1, 100), min_size=1, max_size=30, unique=True),
)
def test_both_ways_of_counting_agree(positions: list[int], cuts: list[int]) -> None:
    positions.sort()
    cuts.sort()
    scores, _ = chunk_scores([1.0], {}, [positions], cuts, 10.0)
    counts = [sum(begin < at <= end for at in positions) for begin, end in zip([-1, *cuts], cuts, strict=False)]
    assert [score > 0 for score in scores] == [count > 0 for count in counts]


def signals(number: int, path: str, *chunks: float, tier: int = 0, history: float = 0.0) -> Signals:
    return Signals(number, path, [], list(chunks), tier=tier, history=history)


def combined(*found: Signals) -> list[tuple[str, float]]:
    ordered = combine(found, files=100, commits=100, tests=False, documents=False)
    return [(item.path, score) for item, score in ordered]


def test_scores_add_up_and_ties_break_by_path() -> None:
    ordered = combined(signals(1, "b.py", 1.0), signals(2, "a.py", 1.0), signals(3, "c.py", 2.0))
    assert [path for path, _ in ordered] == ["c.py", "a.py", "b.py"]
    ordered = combined(signals(1, "b.py", 9.0), signals(2, "a.py", 1.0, tier=1))
    assert ordered[0][0] == "a.py"
    assert combined() == []
    assert text_score([1.0] * 9) == pytest.approx(1 + 0.7 + 0.49 + 0.343 + 0.2401)
    assert idf(10, 5) > 0


def test_one_good_chunk_counts_beside_many_fair_ones() -> None:
    spread, best = signals(1, "a.py", *[2.0] * 5), signals(2, "b.py", 5.2)
    assert text_score(spread.chunks) > text_score(best.chunks)
    assert [path for path, _ in combined(spread, best)] == ["b.py", "a.py"]


def test_each_word_counts_in_the_chunk_where_it_says_most() -> None:
    both, one = signals(1, "b.py", 2.0), signals(2, "a.py", 2.0)
    both.gains, one.gains = [1.5, 1.5], [2.0, 0.0]
    assert [path for path, _ in combined(both, one)] == ["b.py", "a.py"]


@pytest.mark.parametrize(("scale", "first"), [(0.5, "recent.py"), (20.0, "match.py")])
def test_where_text_says_little_what_changed_of_late_goes_first(scale: float, first: str) -> None:
    match, recent = signals(1, "match.py", scale), signals(2, "recent.py", 0.5 * scale)
    match.gains, recent.gains = [scale], [0.5 * scale]
    recent.recency = 1.0
    assert combined(match, recent)[0][0] == first


@pytest.mark.parametrize(("said", "first"), [(1.0, "last.py"), (10.0, "match.py")])
def test_the_last_commits_count_where_words_say_little(said: float, first: str) -> None:
    match, last = signals(1, "match.py", 1.0), signals(2, "last.py", 1.0)
    match.gains, last.gains = [said], [0.9 * said]
    match.latest, last.latest = 0.1, 1.0
    assert combined(match, last)[0][0] == first


def test_commits_that_hardly_match_raise_a_file_less() -> None:
    def gain(history: float) -> float:
        scores = dict(combined(signals(1, "a.py", 1.0, history=history), signals(2, "b.py", 1.0)))
        return scores["a.py"] - scores["b.py"]

    assert 0 < gain(1.0) < gain(5.0) < gain(20.0)
    assert gain(20.0) == pytest.approx(gain(40.0))


def source(
    path: str, sizes: list[int], scores: list[float], focus: tuple[int, ...] = (), score: float = 1.0
) -> RankedSource:
    chunks = [Snippet(1 + 10 * number, 10 + 10 * number, tokens=size) for number, size in enumerate(sizes)]
    return RankedSource(
        FileFact(1, path, f"hash of {path}", modified=False, tracked=True, language=None),
        score,
        "",
        chunks,
        scores,
        focus,
    )


def test_cards_take_the_best_ranges_in_line_order() -> None:
    (card,) = cards([source("a.py", [100, 100, 100, 100], [0.1, 3.0, 0.0, 2.0])], 300)
    assert [(part.start, part.end, part.chunk) for part in card.ranges] == [(11, 20, 1), (31, 40, 3)]
    (card,) = cards([source("a.py", [100, 100], [1.0, 2.0])], 1000)
    assert [(part.start, part.end, part.chunk) for part in card.ranges] == [(1, 20, 1)]
    (card,) = cards([source("a.py", [100, 100], [1.0, 2.0], (0,))], 150)
    assert [(part.start, part.end) for part in card.ranges] == [(1, 10)]


def shown(*scores: float) -> list[int]:
    """How many chunks of equal files with such scores fit into one budget."""
    ranked = [source(f"{number}.py", [100] * 40, [1.0] * 40, score=score) for number, score in enumerate(scores)]
    return [sum(part.end - part.start + 1 for part in card.ranges) // 10 for card in cards(ranked, 4000)]


def test_files_that_match_far_better_are_shown_at_greater_length() -> None:
    alike, apart = shown(1.0, 1.0), shown(1.0, 0.4)
    assert apart[0] > alike[0] > alike[1] > apart[1] > 0
    assert sum(apart) == pytest.approx(sum(alike), abs=1)
    # What a request names may score less than what comes after it.
    assert shown(0.2, 1.0) == alike
    assert shown(0.0, 0.0) == alike


def test_where_a_file_begins_comes_before_what_hardly_matches() -> None:
    (card,) = cards([source("a.py", [100] * 4, [0.0, 0.1, 3.0, 0.1])], 300)
    assert [(part.start, part.end) for part in card.ranges] == [(1, 10), (21, 30)]
    (card,) = cards([source("a.py", [100] * 4, [0.0, 0.1, 3.0, 1.0])], 300)
    assert [(part.start, part.end) for part in card.ranges] == [(21, 40)]


@given(
    st.lists(
        st.tuples(st.lists(st.tuples(st.integers(1, 400), st.floats(0, 9)), min_size=1, max_size=12), st.floats(0, 3)),
        max_size=12,
    ),
    st.integers(1, 20_000),
    st.integers(1, 10),
)
def test_cards_never_exceed_the_budget(
    files: list[tuple[list[tuple[int, float]], float]], budget: int, most: int
) -> None:
    ranked = [
        source(f"{number}.py", [size for size, _ in rows], [part for _, part in rows], score=score)
        for number, (rows, score) in enumerate(files)
    ]
    found = cards(ranked, budget, most)
    assert len(found) <= most
    spent = sum(
        RANGE_TOKENS + sum(card.source.chunks[(line - 1) // 10].tokens for line in range(part.start, part.end, 10))
        for card in found
        for part in card.ranges
    )
    assert spent <= budget
    for card in found:
        assert all(before.end + 1 < after.start for before, after in zip(card.ranges, card.ranges[1:], strict=False))
