"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, and nothing about us.
settings.register_profile("untimed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

_DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "data"
_AGENTS = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "DSH_HOME",
    "GEMINI_CLI_HOME",
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real sessions and oracles, named by BACKSTORY_TEST_DATA; tests that need it are skipped without."""
    folder = Path(os.environ.get("BACKSTORY_TEST_DATA") or _DEFAULT)
    if not folder.is_dir():
        pytest.skip(f"no test data in {folder}; set BACKSTORY_TEST_DATA")
    return folder


@pytest.fixture(autouse=True)
def _nobody(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs as somebody without agents: no test ever sees the logs of the person who runs it."""
    home = tmp_path_factory.getbasetemp() / "nobody"
    home.mkdir(exist_ok=True)
    for name in _AGENTS:
        monkeypatch.delenv(name, raising=False)
    for name in ("BACKSTORY_PAGER", "PAGER", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("BACKSTORY_HOME", str(home / "backstory"))
