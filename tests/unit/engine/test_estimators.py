"""The estimator with a real vocabulary is an optional part; without it planning goes on and says so."""

from collections.abc import Iterator

import pytest

from backstory.engine.planning import estimators
from backstory.records.message import Message, Text, ToolCall
from backstory.text.tokens import CHARS


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    estimators.bpe.cache_clear()
    yield
    estimators.bpe.cache_clear()


def test_without_the_optional_part_characters_are_counted_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(estimators, "PACKAGE", "no_such_package")
    found, warning = estimators.named("bpe")
    assert found is CHARS
    assert warning is not None
    assert "backstory[bpe]" in warning


def test_characters_are_the_default() -> None:
    assert estimators.named("chars-v1") == (CHARS, None)


def test_a_real_vocabulary_replaces_the_count_of_text_and_nothing_else() -> None:
    pytest.importorskip("bpe_openai", reason="install backstory[bpe]")
    found, warning = estimators.named("bpe")
    assert warning is None
    assert found.version == "bpe"
    assert [found.count(text) for text in ("", "hello world", "\ud800", "<|endoftext|>")] == [0, 2, 1, 7]
    message = Message("assistant", (Text("hello world"), ToolCall("1", "read", {"path": "src/main.py"})))
    fixed = 8 + 4 + 4
    assert found.message(message) == fixed + sum(
        map(found.count, ("assistant", "hello world", 'read{"path":"src/main.py"}'))
    )
