"""What the contract suites share."""

from pathlib import Path

import pytest

from tests.fakes.corpus import Corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """A query service over logs that a test writes, and over sessions that it attaches."""
    return Corpus(tmp_path)
