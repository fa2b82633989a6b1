"""What is found in a history, what of it is shown on a card and in excerpts, and that both stay within their room."""

import random
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import pytest

from backstory.plan.evidence import card, coverage, extracts, worth
from backstory.plan.evidence.working import HEADING, WorkingSet
from backstory.records.evidence import Said
from backstory.text.tokens import CHARS
from backstory.text.values import NAME, NUMBER, PATH, Memo, command, pieces, values

HISTORY = [
    Said(0, "user", "rename loadConfig in src/app/config.py", 1, "e0"),
    Said(
        1,
        "call",
        "Edit\nsrc/app/config.py\ndef load_settings(): pass",
        1,
        "e1",
        1,
        "Edit",
        None,
        ("src/app/config.py",),
        ("c1",),
    ),
    Said(2, "result", "updated src/app/config.py: load_settings", 1, "e2", 2, None, None, (), ("c1",)),
    Said(3, "call", "Bash\ncd /w && make test-fast", 1, "e3", 3, "Bash", "cd /w && make test-fast", (), ("c2",)),
    Said(
        4,
        "result",
        "FAILED tests/test_config.py::test_load_settings after 350ms",
        1,
        "e4",
        4,
        None,
        None,
        (),
        ("c2",),
        failed=True,
    ),
    Said(5, "user", "thanks", 2, "e5"),
    Said(6, "assistant", "What next? I could look at renderPage.", 2, "e6"),
]


def built(history: list[Said]) -> WorkingSet:
    made = WorkingSet()
    for one in history:
        made.observe(one)
    return made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/a/b.py, please", {(PATH, "src/a/b.py")}),
        ("call foo_bar(bazQux)", {(NAME, "foo_bar"), (NAME, "bazQux")}),
        ("Config.load_all", {(NAME, "load_all"), (NAME, "Config.load_all")}),
        ("pkg::ThingMaker", {(NAME, "ThingMaker"), (NAME, "pkg::ThingMaker")}),
        ("issue #123 took 35ms in v1.2.3", {(NUMBER, "#123"), (NUMBER, "35ms"), (NUMBER, "v1.2.3")}),
        ("commit 3f2a9bc1d", {(NUMBER, "3f2a9bc1d")}),
        ("and/or plain words only, 42 of them", set()),
        ("fmt.Println is standard", set()),
    ],
)
def test_values_are_told_by_their_shape(text: str, expected: set[tuple[str, str]]) -> None:
    assert set(values(text, Memo())) == expected


def test_a_command_is_compared_by_its_first_line() -> None:
    assert command("cd /a && cd b ; make   test\nsecond line") == "make test"


def test_pieces_cover_a_text_without_gaps_or_cut_words() -> None:
    text = "one two three\n" * 40 + "x" * 300
    cut = list(pieces(text, 110))
    assert cut[0][0] == 0
    assert cut[-1][1] == len(text)
    assert all(stop == start for (_, stop), (start, _) in pairwise(cut))
    assert all(stop - start <= 110 for start, stop in cut)
    assert "".join(text[start:stop] for start, stop in cut) == text
    assert list(pieces("", 110)) == []
    assert list(pieces("x" * 110, 110)) == [(0, 110)]


def test_deeds_are_noted_with_their_outcome() -> None:
    made = built(HISTORY)
    assert (made.deeds.files["src/app/config.py"].action, made.deeds.files["src/app/config.py"].edits) == ("edit", 1)
    assert made.deeds.commands["make test-fast"].outcome == "fail"
    assert made.home[made.ids[NAME, "load_settings"]] == "src/app/config.py"


def test_the_card_groups_names_under_their_file_and_leaves_out_what_is_still_shown() -> None:
    made = built(HISTORY)
    until = made.visible_from(5)
    valued = worth.worth(made, {}, until)
    order = card.ranked(made, valued, 2_000)
    shown = card.card(made, valued, order, card.deeds(made, frozenset(), until, 2_000), until, 2_000)
    assert shown is not None
    lines = shown.text.split("\n")
    assert any(line.startswith("src/app/config.py edit E1 t1: ") and "load_settings" in line for line in lines)
    assert "make test-fast [fail]" in lines
    assert "renderPage" not in shown.text


def texts(seqs: Sequence[int]) -> dict[int, str]:
    return {one.seq: one.text for one in HISTORY if one.seq in seqs}


def test_excerpts_hold_each_value_once_and_stay_within_their_room() -> None:
    made = built(HISTORY)
    valued = worth.worth(made, {}, made.visible_from(5))
    picked = coverage.pick(made, valued, 200)
    found = coverage.located(made, coverage.Chosen(tuple(picked)), {}).joined()
    assert found == sorted(found)
    assert sum(stop - start + HEADING for _, start, stop in found) <= 200
    covered = [made.names[id_] for window in picked for id_ in made.windows[window]]
    assert (NAME, "load_settings") in covered
    assert len(picked) < len(made.windows)
    seqs = [made.seqs[at] for at, _, _ in found]
    assert "load_settings" in "\n".join(coverage.line(made, one, texts(seqs)) for one in found)
    assert max(seqs) < 5


def test_calls_of_commands_are_quoted_as_they_were_written() -> None:
    history = [
        *HISTORY,
        Said(7, "call", "Bash\ngit  log --oneline\ntimeout: 5", 2, "e7", 7, "Bash", "git  log --oneline", (), ("c3",)),
        Said(8, "call", "Bash\ngit log -3", 2, "e8", 8, "Bash", "git log -3", (), ("c4",)),
        Said(9, "call", "Bash\nls -la", 2, "e9", 9, "Bash", "ls -la", (), ("c5",)),
    ]
    made = built(history)
    none = [0.0] * len(made.names)
    ranked = coverage.commands(made, len(made))
    chosen = coverage.cover(made, none, ranked, 60)
    assert [ran for _, ran in chosen.commands] == ["git log -3", "make test-fast"]
    told = {one.seq: one.text for one in history}
    found = coverage.located(made, chosen, told).joined()
    assert [history[at].text[start:stop] for at, start, stop in found] == ["make test-fast", "git log -3"]
    assert coverage.entries(made, chosen) == [3, 8]
    every = coverage.cover(made, none, ranked, 1_000)
    assert [ran for _, ran in every.commands] == ["git log -3", "make test-fast", "git log --oneline"]
    assert coverage.cover(made, none, coverage.commands(made, 3), 1_000).commands == ()
    where = coverage.located(made, every, told)
    assert where.cut(0.7).calls == where.calls[:2]


def test_of_windows_with_the_same_values_the_shortest_is_quoted() -> None:
    history = [
        Said(0, "result", "a long line that goes on and on about test_something_odd until it ends here", 1),
        Said(1, "result", "see test_something_odd", 1),
    ]
    made = built(history)
    picked = coverage.pick(made, worth.worth(made, {}, 2), 4_000)
    [only] = coverage.located(made, coverage.Chosen(tuple(picked)), {}).joined()
    assert only == (1, 0, 22)


def test_nearness_prefers_the_passage_that_holds_the_words_of_the_request() -> None:
    filler = [Said(10 + number, "result", f"unrelated text number {number} goes here", 1) for number in range(30)]
    made = built([*HISTORY, *filler])
    near = worth.nearness(made, worth.terms("why did test_load_settings fail?"), len(made))
    best = {made.names[id_][1] for id_, share in near.items() if share == 1.0}
    assert "test_load_settings" in best
    assert all(0 < share <= 1.0 for share in near.values())


def test_what_is_held_of_nearness_changes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worth, "_MOST_HITS", 60)
    draw = random.Random(9)
    words = ("lock", "held_lock", "lock-order", "file", "make", "part")
    made, held, found = WorkingSet(), worth.HeldValues(), 0
    asked = worth.terms("which part of the file makes a lock-order"), worth.terms("the lock, again")
    for number in range(200):
        text = " ".join(f"{draw.choice(words)} value_{draw.randrange(90)}" for _ in range(draw.randrange(30)))
        made.observe(Said(number, "result", text, 1))
        wanted, until = asked[number // 20 % 2], number + 1 if draw.random() < 0.7 else draw.randrange(number + 1)
        near = worth.nearness(made, wanted, until, held)
        assert near == worth.nearness(made, wanted, until)
        found += bool(near) and len(held.sizes) > 1
    assert found > 50


def test_words_are_found_by_the_beginning_of_any_of_their_parts() -> None:
    made = built([Said(0, "result", "The FileLock was unlocked by file_locker2go in a/lock-order.txt", 1)])
    holding = made.words.holding
    assert all(holding(term) for term in ("filelock", "lock", "locker", "file_lock", "go", "lock-order"))
    assert not any(holding(term) for term in ("ock", "nlocked", "locking", "lock-out"))


def test_a_word_that_was_looked_for_is_found_in_what_is_said_later_too() -> None:
    made = built([Said(0, "result", "the lock is held", 1)])
    assert made.words.holding("lock") == [0]
    made.observe(Said(1, "result", "locked by file_locker2go", 1))
    made.observe(Said(2, "result", "the lock again", 1))
    assert made.words.holding("lock") == [0, 1, 2]
    assert made.words.holding("file_lock") == [1]
    assert made.words.holding("lock", 2) == [0, 1]
    assert not made.words.holding("lock", 0)
    assert not made.words.holding("file_lock", 1)


def test_a_word_is_whole_though_a_passage_ends_within_it() -> None:
    line = "{" + ",".join(f'"field_{number}":"value_{number}"' for number in range(200)) + "}"
    made = built([Said(0, "result", line, 1)])
    assert all(made.words.holding(f"field_{number}") for number in range(200))


def test_finished_supplements_stay_within_their_tokens() -> None:
    history = [
        Said(number, "result", f'"quoted" line about handler_{number} in src/mod_{number}.py\n' * 4, 1, f"e{number}")
        for number in range(200)
    ]
    made = built(history)
    found = extracts.extracts(
        made,
        extracts.ExtractsTask("handler_7", "", 200, card=600, excerpts=900),
        lambda seqs: {seq: history[seq].text for seq in seqs},
        cost=lambda text: CHARS.plain("user", text),
    )
    assert [item.kind for item in found] == ["card", "excerpt"]
    assert found[0].tokens <= 600
    assert 1_300 <= sum(item.tokens for item in found) <= 1_500
    assert all(item.sources for item in found)


def test_drafts_change_nothing() -> None:
    marks = {1: "[ds4:internal]", 3: "[ds4:sensitive]"}
    said = [
        f"{marks.get(number % 4, '')}handler_{number % 90} and part_{number % 70} in src/mod_{number % 40}.py\n"
        for number in range(160)
    ]
    history = [Said(number, "assistant", text * 3, 1, f"e{number}") for number, text in enumerate(said)]
    cost = partial(CHARS.plain, "user")
    texts, made, drafts = dict(enumerate(one.text for one in history)), built(history[:120]), extracts.Drafts()
    levels = set[str]()
    for number, (request, until) in enumerate(
        [
            ("handler_7", 100),
            ("handler_7", 100),
            ("handler_7", 100),
            ("part_8", 100),
            ("part_8", 110),
            ("handler_7", 121),
        ]
    ):
        asked = extracts.ExtractsTask(request, "", until, card=300, excerpts=400)
        for one in history[120 + 6 * number : 126 + 6 * number]:
            made.observe(one)
        found = extracts.extracts(made, asked, lambda _: texts, cost, drafts)
        assert found == extracts.extracts(made, asked, lambda _: texts, cost)
        assert [item.kind for item in found] == ["card", "excerpt"]
        levels.add(found[1].level)
    assert "normal" not in levels


@pytest.mark.parametrize("room", [500, 0])
def test_drafts_change_nothing_whatever_is_done_behind_the_edge(room: int) -> None:
    draw = random.Random(5)
    told = [
        Said(
            number, voice, f"{tool}\n{text}" if voice == "call" else text, number // 20, f"e{number}", number, tool,
            text if tool == "Bash" else None, () if tool == "Bash" else (f"src/mod_{draw.randrange(9)}.py",),
            (f"c{number - (voice == 'result')}",), failed=draw.random() < 0.3,
        )
        for number in range(260)
        for voice in ["call" if number % 2 == 0 else "result"]
        for tool in [draw.choice(("Bash", "Edit", "Read"))]
        for some in [range(draw.choice((0, 1, 9)))]
        for name in [" ".join(f"part_{draw.randrange(400)} run_{draw.randrange(5)}" for _ in some)]
        for text in [f"make {draw.choice('abcdefghijklmnop')}" if tool == "Bash" and number % 2 == 0 else name]
    ]  # fmt: skip
    texts, made, drafts = {one.seq: one.text for one in told}, built(told[:150]), extracts.Drafts()
    kept = 0
    for number, one in enumerate(told[150:]):
        asked = extracts.ExtractsTask("fix part_8", "", 100 + number // 25, card=room, excerpts=600)
        made.observe(one)
        before = drafts.card, drafts.excerpts
        found = extracts.extracts(made, asked, lambda _: texts, partial(CHARS.plain, "user"), drafts)
        assert found == extracts.extracts(made, asked, lambda _: texts, partial(CHARS.plain, "user"))
        kept += before[0] is drafts.card and before[1] is drafts.excerpts
    assert 3 < kept < 100


def test_a_history_of_any_length_keeps_its_weights_finite() -> None:
    made = WorkingSet()
    made.tokens = 10**9
    made.observe(HISTORY[0])
    assert worth.worth(made, {}, 1)[0] >= 0.0


def test_a_kept_working_set_goes_on_where_it_stopped() -> None:
    whole = built(HISTORY)
    again = WorkingSet.restored(built(HISTORY[:3]).dump())
    for one in HISTORY[3:]:
        again.observe(one)
    assert again.dump() == whole.dump()
