"""A host's plan quotes from the index what that holds of its log by now, whatever it found there before."""

from collections.abc import Sequence
from pathlib import Path

from backstory.engine import transcripts
from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import plan
from backstory.engine.planning.call import Terms
from backstory.engine.upkeep.forget import forget
from backstory.records.planning import PlanRequest
from backstory.records.upkeep import ForgetRequest
from tests.fakes import logs
from tests.fakes.indexed import indexed, take_in

TEXTS = [*(f"the quince of orchard {at} is ripe" for at in range(12)), "where is the quince of orchard3?"]
LEAVING = Terms(ephemeral=True)


def written(log: Path, texts: Sequence[str]) -> None:
    """A session that was compacted to its last message."""
    last = f"e{len(texts) - 1:04}"
    summary = {"type": "compaction", "summary": "as told", "firstKeptEntryId": last, "tokensBefore": 900}
    body = logs.pi("s", texts) + logs.line({**summary, "id": "c1", "parentId": last, "timestamp": logs.stamp(90)})
    logs.write(log, body)


def quoted(engine: Engine, log: Path, asked: str | None = None) -> str:
    """What the session's next call quotes of what was said earlier."""
    transcript = transcripts.follow(engine, "pi", str(log))
    request = PlanRequest(session="s", budget=8_000, no_sync=True, request=asked)
    answer = plan.plan_given(engine, request, transcript, None, LEAVING)
    return "\n".join(one.content[0]["text"] for one in answer.messages if one.kind == "retrieval")


def test_what_another_session_says_is_not_quoted_once_it_has_the_key_of_a_forgotten_one(tmp_path: Path) -> None:
    log, other = tmp_path / "here" / "s.jsonl", tmp_path / "there" / "t.jsonl"
    written(log, TEXTS)
    with indexed(tmp_path / "home", log.parent) as engine:
        assert not quoted(engine, log, "where is the fig?")
        before = list(engine.history.rows("SELECT key FROM sessions"))
        forget(engine, ForgetRequest(session=("s",)))
        logs.write(other, logs.pi("t", ["the medlar7 belongs to somebody else"] * 5))
        take_in(engine, other.parent)
        assert before == list(engine.history.rows("SELECT key FROM sessions WHERE id = 't'"))
        assert "somebody else" not in quoted(engine, log, "where is the medlar7?")


def test_entries_that_were_edited_are_quoted_as_they_are_once_the_index_has_them(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "s.jsonl"
    written(log, TEXTS)
    with indexed(tmp_path / "home", log.parent) as engine:
        assert "orchard 3 is ripe" in quoted(engine, log)
        written(log, [text.replace("3 is ripe", "3 was picked long ago") for text in TEXTS])
        quoted(engine, log)  # the log is read anew before the index is
        take_in(engine, log.parent)
        with open_engine(engine.home, env=engine.env) as fresh:
            assert "orchard 3 was picked long ago" in quoted(fresh, log)
            assert quoted(engine, log) == quoted(fresh, log)


def test_what_was_found_is_kept_while_the_index_only_gains_entries(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "s.jsonl"
    written(log, TEXTS)
    with indexed(tmp_path / "home", log.parent) as engine:
        quoted(engine, log)
        known = transcripts.follow(engine, "pi", str(log)).quoted.matched
        assert known
        with log.open("ab") as file:
            file.write(logs.line({**logs.pi_entry(20, "it is there", role="assistant"), "parentId": "c1"}))
        take_in(engine, log.parent)
        assert transcripts.follow(engine, "pi", str(log)).quoted.matched is known
