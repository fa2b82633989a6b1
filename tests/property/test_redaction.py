"""Redaction is idempotent, agrees with its gate, and looks at every character a bounded number of times."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from backstory.privacy.secrets import RULES, redact, suspect

LITERALS = {literal for rule in RULES for literal in rule.literals}
GLUE = [
    "\n",
    "\n\n",
    " ",
    "=",
    ":",
    '"',
    "'",
    "@",
    ".",
    "://",
    "user",
    "Bearer ",
    "Basic ",
    "=> ",
    "] ",
    "[redacted:key]",
    "[",
    "]",
    "pat_",
    "ant-",
    "ACCESS_KEY",
    "AccessKey",
    "access-key",
    "Q2",
    "7Jz4",
    "a",
    "-",
    "_",
    "é",
    "中",
]
BODIES = ["hunter2xyz", "k9Qm2Zr7Wn5Yb1Ht8Lx3Vc6Bn0Kj5Pq4Tz8U", "AKIAQX7ZJ4M2N6P3R5T2", "eyJhbGciOiJIUzI1NiJ9", "-----"]
PEM = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----")
PIECES = [*sorted(LITERALS), *GLUE, *BODIES, *PEM]
MIXED = "k9Qm2Zr7Wn5Yb1Ht8Lx3Vc6Bn0Kj5Pq4Tz8UeRw"
# One credential for every rule but those that look beside a name.
WHOLE = [
    f"ghp_{MIXED}",
    f"hf_{MIXED}",
    f"glpat-{MIXED}",
    f"xoxb-{MIXED}",
    f"sk-{MIXED}",
    f"sk_live_{MIXED}",
    f"npm_{MIXED[:36]}",
    f"AIza{MIXED[:35]}",
    f"SG.{MIXED[:20]}.{MIXED}",
    f"eyJ{MIXED}.eyJ{MIXED}.{MIXED}",
    "AKIAQX7ZJ4M2N6P3R5T2",
    f"TOKEN: {MIXED}",
    f"secretAccessKey={MIXED}",
    f"Authorization: Bearer {MIXED}",
]
texts = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


@given(texts | st.text(max_size=200))
@settings(max_examples=200)
def test_redacting_again_changes_nothing(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, 0)


@given(texts)
def test_text_the_gate_lets_pass_has_no_hit(text: str) -> None:
    redacted, hits = redact(text)
    assert (hits > 0) == (redacted != text)
    assert suspect(text) or hits == 0


@given(texts)
@settings(max_examples=400)
def test_the_gate_for_many_texts_is_as_strong(text: str) -> None:
    found = any(rule.pattern.search(text) and any(word in text for word in rule.literals) for rule in RULES)
    padded = text + " " * 200
    assert suspect(text) == suspect(text, many=True) == found
    assert suspect(padded, many=True) == any(
        rule.pattern.search(padded) and any(word in padded for word in rule.literals) for rule in RULES
    )


@given(
    st.sampled_from(sorted(LITERALS)),
    st.sampled_from(["", "d", "ORD", "_key", "-KEY", "_ACCESS_KEY", "AccessKey", "_access", "ab-"]),
    st.sampled_from([*BODIES, "= ", ': "', "] := '"]),
    st.sampled_from(BODIES),
)
@settings(max_examples=400)
def test_the_gate_for_many_texts_knows_every_literal(literal: str, more: str, between: str, value: str) -> None:
    text = f'{"word " * 30}{literal}{more}{between}{value}" {literal}{value}.{value}.{value}'
    assert suspect(text, many=True) == suspect(text)


@given(
    st.sampled_from(WHOLE), st.text(st.sampled_from("\1\2\0 \n.é😀\ud800\u212a(=@"), max_size=4), st.text(max_size=4)
)
@example(WHOLE[9], "\1", "")
@settings(max_examples=400)
def test_nothing_beside_a_credential_hides_it_from_the_gate(credential: str, before: str, after: str) -> None:
    text = f"{'word ' * 30}{before}{credential}{after}"
    assert suspect(text, many=True) == suspect(text)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join))
@example("eyJ")
@example("key_")
@example("sk-")
@settings(max_examples=40, deadline=None)
def test_a_long_repetition_ends(piece: str) -> None:
    """A quadratic rule would need hours for these and run into the suite's timeout, and so would the gate."""
    text = piece * (400_000 // len(piece))
    once, hits = redact(text)
    assert suspect(text, many=True) or hits == 0
    assert redact(once) == (once, 0)
