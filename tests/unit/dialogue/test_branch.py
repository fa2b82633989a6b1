"""Branches: which entries lead to a leaf, by each agent's rules, in healthy and in damaged trees."""

import pytest

from backstory.dialogue import branch
from backstory.records.node import Node
from tests.unit.dialogue.drawing import draw, ids


def path(nodes: list[Node], rules: str, leaf: int | None = None) -> str:
    return ids(nodes, branch.path(nodes, leaf, shape="tree", rules=rules))


FORK = draw("""
    p a -
    m b a
    p c b
    m d c
    p e b
    m f e
""")


@pytest.mark.parametrize("rules", ["pi", "claude", ""])
def test_the_newest_entry_leads_the_active_branch(rules: str) -> None:
    assert path(FORK, rules) == "abef"
    assert path(FORK, rules, leaf=3) == "abcd"
    assert ids(FORK, branch.leaves(FORK, shape="tree", rules=rules)) == "df"


def test_any_entry_may_be_a_leaf_for_pi_but_only_a_visible_one_for_others() -> None:
    nodes = draw("""
        p a -
        m b a
        t c a hidden
    """)
    assert path(nodes, "pi") == "ac"
    assert path(nodes, "claude") == "ab"


def test_a_dangling_parent_is_a_root_for_pi_and_follows_the_file_for_others() -> None:
    nodes = draw("""
        p a -
        m b a
        p c nowhere
    """)
    assert path(nodes, "pi") == "c"
    assert path(nodes, "claude") == "abc"


def test_a_repeated_id_means_its_latest_earlier_entry() -> None:
    nodes = draw("""
        p a -
        m b a
        p a -
        m c a
        m b c
    """)
    assert branch.path(nodes, shape="tree", rules="pi") == [2, 3, 4]


def test_cycles_and_forward_parents_end() -> None:
    nodes = draw("""
        p a c
        m b b
        m c b
    """)
    assert path(nodes, "pi") == "bc"
    assert path(nodes, "claude") == "abc"


def test_side_threads_are_trees_of_their_own() -> None:
    nodes = draw("""
        p a -
        m b a
        p x a side
        m y x side
        m z nowhere side
    """)
    assert path(nodes, "claude") == "ab"
    assert path(nodes, "claude", leaf=4) == "xyz"
    assert ids(nodes, branch.leaves(nodes, shape="tree", rules="claude")) == "bz"


def test_a_file_of_one_side_thread_is_its_own_main_thread() -> None:
    nodes = draw("""
        p a - side
        m b a side
    """)
    assert path(nodes, "claude") == "ab"


def test_what_no_model_sees_leads_on_from_a_call_to_the_calls_below_it() -> None:
    nodes = draw("""
        p a -
        c b a calls=1
        r c b calls=1
        t d b hidden
        c e d calls=2
        r f e calls=2
        m g c
    """)
    assert path(nodes, "claude") == "abcdefg"


def test_parallel_calls_fork_the_tree_and_stay_on_the_branch() -> None:
    nodes = draw("""
        p a -
        c b a calls=1
        c c b calls=2
        r d b calls=1
        t e c hidden
        r f e calls=2
        m g d
    """)
    assert path(nodes, "claude") == "abcdefg"
    assert path(nodes, "pi") == "abdg"


def test_an_abandoned_turn_is_no_parallel_call() -> None:
    nodes = draw("""
        p a -
        c b a calls=1
        r c b calls=1
        p d c
        r e c calls=9
        m f d
        p g c
    """)
    assert path(nodes, "claude") == "abcg"


def ends(nodes: list[Node], rules: str) -> str:
    return ids(nodes, branch.ends(nodes, shape="tree", rules=rules))


def test_no_branch_ends_with_what_hangs_beside_a_conversation() -> None:
    nodes = draw("""
        p a -
        c b a calls=1
        c c b calls=2
        r d b calls=1
        t e c hidden
        t x e hidden
        r f e calls=2
        m g d
        t h g hidden
        t i a hidden
    """)
    assert ends(nodes, "claude") == "g"
    assert ids(nodes, branch.leaves(nodes, shape="tree", rules="claude")) == "xfhi"
    assert ends(nodes, "pi") == ids(nodes, branch.leaves(nodes, shape="tree", rules="pi"))


@pytest.mark.parametrize("rules", ["pi", "claude"])
def test_branches_that_were_given_up_have_ends(rules: str) -> None:
    assert ends(FORK, rules) == "df"


def test_a_session_of_which_a_model_sees_nothing_ends_somewhere() -> None:
    nodes = draw("""
        t a - hidden
        t b a hidden
    """)
    assert ends(nodes, "claude") == "b"


def test_in_a_log_of_many_branches_few_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = draw("\n".join(["p a -", *(f"m m{number} a" for number in range(50))]))
    followed: list[int] = []
    real = branch.path

    def seen(among: list[Node], leaf: int, **of: str) -> list[int]:
        followed.append(leaf)
        return real(among, leaf, **of)

    monkeypatch.setattr(branch, "MOST_FOLLOWED", 4 * len(nodes))
    monkeypatch.setattr(branch, "path", seen)
    assert branch.ends(nodes, shape="tree", rules="claude") == list(range(1, 51))
    assert followed == [50, 49, 48, 47]


def test_a_line_has_one_branch() -> None:
    assert branch.path(FORK, shape="line", rules="codex") == list(range(6))
    assert branch.path(FORK, 2, shape="line", rules="codex") == [0, 1, 2]
    assert branch.leaves(FORK, shape="line", rules="codex") == [5]


@pytest.mark.parametrize("shape", ["tree", "line"])
def test_an_empty_session_has_no_branch(shape: str) -> None:
    assert branch.path([], shape=shape, rules="pi") == []
    assert branch.leaves([], shape=shape, rules="pi") == []


def test_depth_has_no_limit() -> None:
    nodes = [Node(seq, "message", visible=True, entry_id=str(seq), parent_id=str(seq - 1)) for seq in range(20_000)]
    assert len(branch.path(nodes, shape="tree", rules="claude")) == 20_000
