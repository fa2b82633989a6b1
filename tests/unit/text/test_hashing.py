"""Canonical JSON and the hashes over it do not depend on key order, and tell sequences apart."""

from hashlib import sha256

from backstory.text import canonical, hashing


def test_key_order_does_not_matter() -> None:
    assert canonical.encode({"b": 1, "a": {"d": 2, "c": "é"}}) == '{"a":{"c":"é","d":2},"b":1}'.encode()
    assert hashing.of_value({"a": 1, "b": 2}) == hashing.of_value({"b": 2, "a": 1})


def test_sequences_with_the_same_bytes_differ() -> None:
    assert hashing.of_sequence(["ab", "c"]) != hashing.of_sequence(["a", "bc"])
    assert hashing.of_sequence([]) != hashing.of_sequence([""])


def test_a_sequence_is_hashed_with_its_lengths() -> None:
    assert hashing.of_sequence(["é", {"a": 1}]) == sha256('2\n4:"é"\n7:{"a":1}\n'.encode()).hexdigest()


def test_digests_tell_values_and_their_order_apart() -> None:
    one, other = (hashing.digest(value) for value in (["user", "é"], ["user", {"b": 1, "a": 2}]))
    assert one == bytes.fromhex(hashing.of_value(["user", "é"]))
    assert len({hashing.of_digests(some) for some in ([], [one], [other], [one, other], [other, one])}) == 5


def test_a_lone_surrogate_is_hashed() -> None:
    assert len(hashing.of_text("\ud800")) == 64


def test_a_value_without_json_form_becomes_text() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert canonical.compact(loop) == "[[...]]"
    assert canonical.compact({"b": 1, "a": "é"}) == '{"b":1,"a":"é"}'
