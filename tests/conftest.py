"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

_DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real sessions and oracles, named by BACKSTORY_TEST_DATA; tests that need it are skipped without."""
    folder = Path(os.environ.get("BACKSTORY_TEST_DATA") or _DEFAULT)
    if not folder.is_dir():
        pytest.skip(f"no test data in {folder}; set BACKSTORY_TEST_DATA")
    return folder
