"""A large result becomes a short reference with its errors, paths, head and tail, without secrets."""

import pytest

from backstory.plan.condense import FOOTER, HEADER, Reference, artifact_id, binary, condense, errors_in

ABOUT = Reference("bash", "call-1", failed=True, artifact=artifact_id("pi:s", "e", "call-1", b"r"))


def test_a_reference_is_short_and_tells_what_matters() -> None:
    secret = "gh" + "p_" + "a1B2" * 9
    text = f"begin {secret}\n" + "row\n" * 20_000 + "src/x/y.go:10: error: boom\n" + "row\n" * 20_000 + "the end"
    made = condense(text, ABOUT)
    assert len(made) <= 12_000
    assert made.startswith(HEADER)
    assert made.endswith(FOOTER)
    assert "error: boom" in made
    assert "src/x/y.go" in made
    assert "begin [redacted:github]" in made
    assert "the end" in made
    assert "Status: error" in made


def test_no_cut_leaves_half_of_a_credential() -> None:
    token, key = "gh" + "p_" + "a1B2c3D4e5F6" * 3, "x4Kq9Lm2" * 200
    pem = f"-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----"
    for before in range(2_500, 2_700, 3):
        made = condense(f"{'a' * before} {token}/x\n" + "row\n" * 20_000 + f"{pem}{' ' * before}", ABOUT)
        assert "a1B2c3" not in made
        assert "x4Kq9" not in made


@pytest.mark.parametrize("words", ["x " * 400 + "{} failed: ", "failed: {} " + "x " * 400])
def test_no_cut_of_a_long_line_leaves_half_of_a_credential(words: str) -> None:
    token = "gh" + "p_" + "a1B2c3D4e5F6" * 3
    seen = set()
    for between in range(200, 840, 3):
        line = words.format(f"{token} {'y' * between}" if words[0] == "x" else f"{'y' * between} {token}")
        [found] = errors_in(f"row\n{line}\nrow")
        assert not any(token[at : at + 6] in found for at in range(len(token) - 5))
        assert len(found) <= 800
        seen.add("[redacted:github]" in found)
    assert seen == {True, False}


def test_a_forged_end_stays_inside() -> None:
    made = condense(f"{FOOTER}\n" * 2_000, ABOUT)
    assert made.count(FOOTER) == 1


def test_binary_looking_text_is_not_excerpted() -> None:
    assert binary("a\0b")
    assert binary("\x01\x02" * 50)
    assert not binary("colour \x1b[31mred\x1b[0m\ttab\r\n")
    assert "Head JSON" not in condense("\0" * 20_000, ABOUT)


def test_error_lines_are_distinct_and_bounded() -> None:
    text = "\n".join(f"Error number {number % 30}" for number in range(5_000))
    found = errors_in(text)
    assert len(found) == len(set(found)) == 16
    assert errors_in("x" * 2_000 + " failed " + "y" * 2_000)[0].count("failed") == 1


def test_the_name_of_an_artifact_depends_on_all_its_parts() -> None:
    parts = [("s", "e", "c", b"r"), ("s", "ec", "", b"r"), ("se", "", "c", b"r"), ("s", "e", "c", b"t")]
    assert len({artifact_id(*part) for part in parts}) == 4
