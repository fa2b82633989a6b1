"""Every session and every entry can be named, whatever ids agents give them."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from backstory.engine import name_rules
from backstory.engine.name_rules import SessionFile
from backstory.sources import registry

PIECES = ("pi", "codex", "p1", ":", "…", "/", "7", "#", "-", "~", ".", " ", "é", "\U0010ffff")
IDS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join)
KEYS = st.tuples(st.sampled_from(["pi", "codex"]), IDS)


def files(name: str, stored: Sequence[tuple[str, str]]) -> list[SessionFile[str]]:
    """What a name means among stored sessions; the file of one is called by its place."""
    rows = [
        SessionFile(at, source, id_, f"/logs/{at}", missing=False, row=id_) for at, (source, id_) in enumerate(stored)
    ]

    def named(begin: str, source: str | None) -> list[SessionFile[str]]:
        return [one for one in rows if one.id.startswith(begin) and source in {None, one.source}]

    def placed(path: str, source: str | None) -> list[SessionFile[str]]:
        return [one for one in rows if one.path == path and source in {None, one.source}]

    return name_rules.session(name, named, placed)


@given(stored=st.lists(KEYS, min_size=1, max_size=6, unique_by=lambda key: key[1]), data=st.data())
def test_the_whole_id_of_a_session_names_it(stored: list[tuple[str, str]], data: st.DataObject) -> None:
    source, id_ = data.draw(st.sampled_from(stored))
    assert [(one.source, one.id) for one in files(id_, stored)] == [(source, id_)]


@given(stored=st.lists(KEYS, min_size=2, max_size=6, unique=True), data=st.data())
def test_an_id_of_two_agents_is_told_apart_by_the_agent(stored: list[tuple[str, str]], data: st.DataObject) -> None:
    source, id_ = data.draw(st.sampled_from(stored))
    name = f"{source}:{id_}"
    taken = any(other == name for _, other in stored)
    assert taken or [(one.source, one.id) for one in files(name, stored)] == [(source, id_)]


@given(ids=st.lists(st.none() | st.sampled_from(["0", "1", "2", "3", "#0", "#1", "##1", "a", "#"]), max_size=6))
def test_every_entry_is_named_by_its_number_behind_a_sign_whatever_ids_there_are(ids: list[str | None]) -> None:
    by_id = {id_: at for at, id_ in enumerate(ids) if id_}
    numbers = {at: at for at in range(len(ids))}
    for at in numbers:
        assert name_rules.entry(f"#{at}", by_id, numbers.get) == at
    for id_, at in by_id.items():
        assert name_rules.entry(id_, by_id, lambda _: None) == at
        assert name_rules.begun_entry(id_, by_id, lambda _: None) == at


def test_the_agents_of_these_names_exist() -> None:
    assert {"pi", "codex"} <= set(registry.names())
