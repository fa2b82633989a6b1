"""Tokens, references and revisions: bounded, fresh, good for one use where one use is meant."""

from backstory.engine.state.pending import MINUTE, Expiring, Pending


def test_a_value_is_held_for_its_life_and_then_known_to_have_expired() -> None:
    held: Expiring[str] = Expiring("x_", most=4, life=10)
    name = held.put("value", 100)
    assert name.startswith("x_")
    assert held.look(name, 109) == ("held", "value")
    assert held.look(name, 110) == ("expired", None)


def test_taking_ends_it() -> None:
    held: Expiring[str] = Expiring("x_", most=4, life=10)
    name = held.put("value", 0)
    assert held.take(name, 1) == ("held", "value")
    assert held.take(name, 1) == ("unknown", None)


def test_the_oldest_make_room() -> None:
    held: Expiring[int] = Expiring("x_", most=2, life=10)
    names = [held.put(number, 0) for number in range(3)]
    assert [held.look(name, 0)[0] for name in names] == ["unknown", "held", "held"]
    assert len(held) == 2


def test_no_odd_name_is_held() -> None:
    held: Expiring[int] = Expiring("x_", most=2, life=10)
    strange: list[object] = [None, 5, "", "x" * 10_000, "\ud800", []]
    assert [held.look(name, 0)[0] for name in strange] == ["unknown"] * 6
    assert held.take([], 0) == ("unknown", None)


def test_a_seal_is_that_of_its_parts_and_its_process() -> None:
    first, second = Pending(), Pending()
    assert first.seal("a", "b") == first.seal("a", "b")
    assert first.seal("a", "b") != first.seal("ab", "")
    assert first.seal("a", "b") != second.seal("a", "b")
    assert len(first.seal("a")) == 40


def test_a_revision_is_good_for_a_quarter_of_an_hour() -> None:
    waiting = Pending()
    waiting.issue("rev_x", "leaf", 0)
    assert waiting.issued("rev_x", 15 * MINUTE - 1) == "leaf"
    assert waiting.issued("rev_x", 15 * MINUTE) is None
    assert waiting.issued("rev_y", 0) is None


def test_doubts_are_bounded() -> None:
    waiting = Pending()
    for number in range(300):
        waiting.doubt(str(number), {})
    assert len(waiting.doubtful) == 256
    assert "299" in waiting.doubtful
