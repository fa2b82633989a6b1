"""What is stored of a session holds no credential, wherever in a field it stands."""

import pytest

from backstory.index.extract import known
from backstory.records.session import Facts

SECRET = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize("before", ["", " ", "\n", "\t", "\r\n", "\b", "\f", "\x01", "\\", '"', "é"])
def test_no_field_keeps_a_credential(before: str) -> None:
    text = f"see{before or ' '}{SECRET}"
    facts = Facts(title=text, cwd=text, models=[text], state={text: [text], "n": 1})
    assert SECRET not in str(known(facts))


def test_what_is_escaped_but_no_credential_is_the_same_object() -> None:
    facts = Facts(title='"quoted"', cwd="C:\\work", state={"lines": ["a\nb"]})
    assert known(facts) is facts
