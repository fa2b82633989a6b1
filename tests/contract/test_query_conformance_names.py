"""What names promise: every hit can be read again, and a name that is good for two logs is refused."""

from pathlib import Path

import pytest

from backstory.errors import AmbiguousSessionError, SourceConflictError, UnknownSessionError
from backstory.records.live import LiveHeader
from backstory.records.query import ListEvents, Mode
from tests.contract.query_pins import pins
from tests.fakes import logs
from tests.fakes.corpus import Corpus, user


def read_again(corpus: Corpus, query: str) -> set[str]:
    """The texts of all hits, read by what each hit says of its place."""
    texts = set()
    for mode in Mode:
        events = corpus.events(query, mode=mode).items
        for hit in (*events, *(one.best for one in corpus.sessions(query, mode).items)):
            window = corpus.query.read_event(hit.path or f"{hit.source}:{hit.session}", hit.seq)
            assert (window.session.source, window.session.id, window.session.path) == (
                hit.source,
                hit.session,
                hit.path,
            )
            assert window.events[0].text.startswith(hit.snippet)
            texts.add(window.events[0].text)
    return texts


@pins("named")
def test_hits_of_two_agents_with_one_id_can_be_read_again(corpus: Corpus, tmp_path: Path) -> None:
    corpus.put("dup", user("emu of the one"))
    (tmp_path / "pi").mkdir()
    (tmp_path / "pi" / "dup.jsonl").write_bytes(logs.pi("dup", ["emu of the other"]))
    corpus.query.mount("pi", str(tmp_path / "pi"))
    corpus.attach_text("live", "emu that is live")
    assert read_again(corpus, "emu") == {"emu of the one", "emu of the other", "emu that is live"}
    assert {(hit.source, hit.session) for hit in corpus.events("emu").items} == {
        ("dsh", "dup"), ("pi", "dup"), ("dsh", "live")
    }  # fmt: skip
    with pytest.raises(AmbiguousSessionError):
        corpus.query.read_session("dup")
    assert [one.source for one in corpus.query.read_session("pi:dup").events] == ["pi"]
    listed = corpus.query.list_events(ListEvents(session="dsh:dup")).items
    assert [(one.source, one.session) for one in listed] == [("dsh", "dup")]


@pins("named", "stores-apart")
def test_hits_of_two_files_with_one_id_can_be_read_again(corpus: Corpus, tmp_path: Path) -> None:
    other = tmp_path / "other"
    corpus.put("a", user("emu one"), user("emu one goes on"))
    corpus.put("a", user("emu two"), root=other)
    corpus.query.mount("dsh", str(other))
    assert read_again(corpus, "emu") == {"emu one", "emu one goes on", "emu two"}
    paths = {str(corpus.log("a")), str(corpus.log("a", other))}
    for name in ("a", "dsh:a"):
        with pytest.raises(AmbiguousSessionError) as caught:
            corpus.query.read_event(name, 0)
        assert all(path in str(caught.value) for path in paths)
        with pytest.raises(AmbiguousSessionError):
            corpus.events("emu", name)
    assert {one.session.path for one in corpus.sessions("emu").items} == paths
    assert [hit.snippet for hit in corpus.events("emu", str(corpus.log("a", other))).items] == ["emu two"]
    with pytest.raises(UnknownSessionError):
        corpus.query.read_session(str(other))


@pins("named", "stores-apart")
def test_a_file_that_holds_all_of_its_copies_is_read_by_its_id(corpus: Corpus, tmp_path: Path) -> None:
    other = tmp_path / "other"
    corpus.put("a", user("emu one"), root=other)
    corpus.put("a", user("emu one"), user("emu one goes on"))
    corpus.query.mount("dsh", str(other))
    assert [one.text for one in corpus.query.read_session("a").events] == ["emu one", "emu one goes on"]
    assert [one.text for one in corpus.query.read_session(str(corpus.log("a", other))).events] == ["emu one"]


@pins("named", "stores-apart")
def test_a_file_that_is_there_goes_before_one_that_is_gone(corpus: Corpus, tmp_path: Path) -> None:
    other = tmp_path / "other"
    corpus.put("a", user("emu gone"), user("emu gone too"), root=other)
    corpus.query.mount("dsh", str(other))
    corpus.log("a", other).unlink()
    corpus.put("a", user("emu here"))
    corpus.query.reconcile()
    assert [one.text for one in corpus.query.read_session("a").events] == ["emu here"]
    assert read_again(corpus, "emu") == {"emu here", "emu gone", "emu gone too"}


@pins("named", "live.conflict")
def test_a_contradiction_is_told_under_every_name(corpus: Corpus) -> None:
    corpus.live.attach(LiveHeader("dsh", "session", cwd="/x"))
    corpus.put("session", user("emu"), cwd="/z")
    for name in ("session", "dsh:session", "sess", "dsh:sess"):
        with pytest.raises(SourceConflictError):
            corpus.query.read_session(name)
    corpus.put("sesame", user("emu"))
    assert corpus.query.read_session("sesa").session.id == "sesame"
    with pytest.raises(UnknownSessionError):
        corpus.query.read_session("x")
