"""What is stored of a session and its entries holds no credential, and which names in it are taken apart."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backstory.index.extract import CALLED, NAMED, extract, known
from backstory.privacy.secrets import redact
from backstory.records.session import Draft, Entry, Facts, Kind, Surface

SECRET = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize("before", ["", " ", "\n", "\t", "\r\n", "\b", "\f", "\x01", "\\", '"', "é"])
def test_no_field_keeps_a_credential(before: str) -> None:
    text = f"see{before or ' '}{SECRET}"
    facts = Facts(title=text, cwd=text, models=[text], state={text: [text], "n": 1})
    stored = str(known(facts))
    assert SECRET not in stored
    assert stored.count("see") == str(facts).count("see")


def test_what_is_escaped_but_no_credential_is_the_same_object() -> None:
    facts = Facts(title='"quoted"', cwd="C:\\work", state={"lines": ["a\nb"]})
    assert known(facts) is facts


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        (Kind.TOOL_RESULT, NAMED),
        (Kind.BOOT, NAMED),
        (Kind.SYSTEM, NAMED),
        (Kind.TOOL_CALL, CALLED),
        (Kind.MESSAGE, None),
    ],
)
def test_of_long_calls_and_results_only_the_names_at_the_beginning_are_taken_apart(kind: str, most: int | None) -> None:
    text = f"frontName {'.' * ((most or CALLED) - 14)} edgeName backName"
    [stored] = extract([Entry(0, 0, 0, b"", Draft(kind, text=text))], [Surface.CURRENT])
    found = stored.parts or (stored.words or b"").removeprefix(f"{text}\n".encode())
    assert found == (b"front Name edge Name" if most else b"front Name edge Name back Name")


@given(text=st.text())
@example(text="a\0b")
@example(text=f"token: {SECRET}")
@example(text="修 \ud800")
def test_what_is_stored_is_the_text_of_the_draft_as_it_may_be_kept(text: str) -> None:
    kept = redact(text.replace("\0", "\ufffd"))[0]
    entries = [Entry(seq, 0, 0, b"", Draft(Kind.MESSAGE, text=text)) for seq in range(70)]
    found = extract(entries, [Surface.CURRENT] * len(entries))
    assert [(one.entry.draft.text, one.text) for one in found] == [(kept, kept.encode("utf-8", "replace"))] * 70
