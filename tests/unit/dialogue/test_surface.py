"""Surfaces: what compactions, edits, replacements and resets leave in the model's sight."""

import msgspec
import pytest

from backstory.dialogue import active, surface
from backstory.errors import InvalidSurfaceError
from backstory.records.node import Node, Tip
from tests.unit.dialogue.drawing import draw, ids, shown


def fold(nodes: list[Node], rules: str, shape: str = "tree") -> str:
    return shown(surface.fold(nodes, shape=shape, rules=rules))


def seen(nodes: list[Node], rules: str, shape: str = "tree") -> str:
    return ids(nodes, active.seen(nodes, shape=shape, rules=rules))


COMPACTED = draw("""
    y a -
    p b a
    m c b
    y d c
    p e d
    s f e compact=c
    p g f
""")


def test_a_compaction_leads_keeps_its_range_and_shadows_the_rest() -> None:
    assert fold(COMPACTED, "pi-0.84") == "--+++++"
    assert seen(COMPACTED, "pi-0.84") == "fcdeg"


def test_newer_pi_leaves_system_messages_behind() -> None:
    assert fold(COMPACTED, "pi-1.6") == "--+-+++"
    assert seen(COMPACTED, "pi-1.6") == "fceg"


@pytest.mark.parametrize("target", ["compact", "compact=f", "compact=nowhere", "compact=g"])
def test_a_compaction_that_names_nothing_before_it_keeps_nothing(target: str) -> None:
    nodes = draw(f"""
        p a -
        s f a {target}
        p g f
    """)
    assert fold(nodes, "pi") == "-++"


TWICE = draw("""
    p a -
    s b a compact=a
    m c b
    s d c compact=a
    m e d
""")


def test_an_older_compaction_in_the_kept_range_is_said_again_by_old_pi_alone() -> None:
    assert seen(TWICE, "pi-0.84") == "dabce"
    assert seen(TWICE, "pi-1.6") == "dace"


def test_what_was_taken_names_who_took_it() -> None:
    nodes = draw("""
        p a -
        m b a
        s c b compact=b
        m d c
        s e d compact=d
        p f e
        e g f edit=f
    """)
    assert fold(nodes, "pi") == "---++-+"
    assert surface.replaced(nodes, shape="tree", rules="pi") == {0: 2, 1: 4, 2: 4, 5: 6}


EDITED = draw("""
    p a -
    r b a calls=1
    e c b edit=b
    m d c
    e e d edit=d hidden
    s f e compact=a
    e g f edit=f
    y h g
    e i h edit=h
""")


def test_edits_replace_or_drop_only_what_may_be_edited() -> None:
    assert fold(EDITED, "pi-1.6") == "+-+-.+-+-"
    assert seen(EDITED, "pi-1.6") == "fach"


def test_old_pi_knows_no_edits() -> None:
    assert seen(EDITED, "pi-0.84") == "fabdh"


def test_the_last_edit_of_an_entry_counts() -> None:
    nodes = draw("""
        p a -
        e b a edit=a
        e c b edit=a hidden
        e d c edit=a
    """)
    assert (fold(nodes, "pi"), seen(nodes, "pi")) == ("--.+", "d")


def test_an_edit_on_another_branch_changes_nothing() -> None:
    nodes = draw("""
        p a -
        e b a edit=a
        m c a
    """)
    assert fold(nodes, "pi") == "+-+"


def test_a_boundary_no_model_sees_cuts_as_well() -> None:
    nodes = draw("""
        p a -
        m b a
        t c b hidden compact
        s d c
        p e d
    """)
    assert fold(nodes, "claude") == "--.++"
    assert fold(nodes[:3], "claude") == "++."


def test_a_kept_segment_survives_the_boundary() -> None:
    nodes = draw("""
        p a -
        m b a
        t c b hidden compact=b
        s d c
    """)
    assert seen(nodes, "claude") == "bd"


def test_a_reset_forgets_everything_before() -> None:
    nodes = draw("""
        p a -
        s b a compact=a
        t c b hidden reset
        p d c
    """)
    assert fold(nodes, "claude") == "--.+"
    assert fold(nodes, "codex", "line") == "--.+"


def test_side_threads_count_as_shadowed() -> None:
    nodes = draw("""
        p a -
        p x a side
        t y x side hidden
        m b a
    """)
    assert fold(nodes, "claude") == "+-.+"
    assert fold(nodes, "codex", "line") == "+-.+"


def test_a_line_is_spliced_in_place() -> None:
    nodes = draw("""
        p a -
        r b -
        r c -
        r d - replace=1-1
        s e - replace=0-3
        m f -
    """)
    assert fold(nodes[:4], "dsh", "line") == "+-++"
    assert active.context(nodes[:4], shape="line", rules="dsh") == [0, 3, 2]
    assert fold(nodes, "dsh", "line") == "--+-++"
    assert active.context(nodes, shape="line", rules="dsh") == [4, 2, 5]
    assert surface.replaced(nodes, shape="line", rules="dsh") == {1: 3, 0: 4, 3: 4}
    assert active.context(nodes, 3, shape="line", rules="dsh") == [0, 3, 2]


def test_a_line_compacts_around_what_it_keeps() -> None:
    nodes = draw("""
        p a -
        m b -
        s c - compact=b
        m d -
    """)
    assert seen(nodes, "codex", "line") == "cbd"


def test_a_line_is_edited() -> None:
    nodes = draw("""
        p a -
        m b -
        e c - edit=a
        e d - edit=b hidden
        e e - edit=b
    """)
    assert (fold(nodes, "x", "line"), seen(nodes, "x", "line")) == ("--+.-", "c")


@pytest.mark.parametrize("span", ["1-9", "9-9", "2-0", "1-3", "b", "", "-1-2", "3-3"])
def test_a_range_that_is_none_is_refused_when_strict(span: str) -> None:
    nodes = draw(f"""
        p a -
        m b -
        m c -
        s d - replace={span}
    """)
    with pytest.raises(InvalidSurfaceError, match="entry 3"):
        surface.fold(nodes, shape="line", rules="dsh", strict=True)
    assert fold(nodes, "dsh", "line")[3] == "+"


def test_a_range_whose_end_was_lost_takes_what_is_left() -> None:
    whole = draw("""
        p a -
        m b -
        m c -
        m d -
        s e - replace=0-2
    """)
    torn = [node for node in whole if node.seq != 0]
    assert fold(torn, "dsh", "line") == "--++"
    assert active.context(torn, shape="line", rules="dsh") == [4, 3]


GROWING = draw("""
    p a -
    c b a calls=1
    c c b calls=2
    t d b hidden
    r e d calls=1
    r f c calls=2
    m g e
    t h - hidden
    p i g
""")


def test_ordinary_growth_never_folds_again() -> None:
    tip = surface.tip([], shape="tree", rules="claude")
    signs = []
    for node in GROWING:
        grown = surface.append(tip, node, rules="claude")
        assert grown is not None
        tip, sign = grown
        signs.append(sign)
    assert shown(signs) == "+++.+++.+"


@pytest.mark.parametrize(
    "drawn",
    ["m x a", "m x nowhere", "m x -", "s x i compact=g", "e x i edit=i", "t x i hidden reset"],
)
def test_what_may_change_others_is_declined(drawn: str) -> None:
    tip = surface.tip(GROWING, shape="tree", rules="claude")
    assert surface.append(tip, draw(drawn)[0], rules="claude") is None


def test_a_tip_declines_other_rules_and_another_main_thread() -> None:
    (node,) = draw("m x i")
    tip = surface.tip(GROWING, shape="tree", rules="pi-0.84")
    assert surface.append(tip, node, rules="pi-1.6") is None
    side = surface.tip(draw("p a - side"), shape="line", rules="codex")
    assert surface.append(side, node, rules="codex") is None


def test_a_tip_survives_json_and_stays_small() -> None:
    tip = surface.tip(GROWING, shape="tree", rules="claude")
    for seq in range(500):
        hung = Node(seq, "state", entry_id=f"h{seq}", parent_id=f"h{seq - 1}" if seq else "i")
        grown = surface.append(tip, hung, rules="claude")
        assert grown is not None
        tip = msgspec.json.decode(msgspec.json.encode(grown[0]), type=Tip)
    assert len(msgspec.json.encode(tip)) < 2000
    last = surface.append(tip, draw("m x h499")[0], rules="claude")
    assert last is not None
    assert last[1] == "current"
