"""Settings come from several sources; what cannot be used is told with its place and reason, and is never fatal."""

import json
import os
from pathlib import Path

import pytest

from backstory.config import ds4
from backstory.config.load import PROJECT_FILE, load
from backstory.records.privacy import LOCKED, Policy
from backstory.records.settings import Loaded


class Places:
    """A data folder, Pi's folder and a project, all empty."""

    def __init__(self, root: Path) -> None:
        self.home, self.pi, self.project = root / "home", root / "pi", root / "project"
        for folder in (self.home, self.pi, self.project / ".backstory", self.project / ".pi"):
            folder.mkdir(parents=True)

    def user(self, text: str) -> None:
        (self.home / "config.toml").write_text(text, encoding="utf-8")

    def trusted(self, text: str) -> None:
        (self.project / PROJECT_FILE).write_text(text, encoding="utf-8")

    def load(self, **env: str) -> Loaded:
        variables = {"BACKSTORY_HOME": str(self.home), "PI_CODING_AGENT_DIR": str(self.pi), **env}
        return load(self.home, variables, self.project)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_without_any_file_the_defaults_hold(places: Places) -> None:
    loaded = places.load()
    assert loaded == Loaded(files=loaded.files)
    assert not any(file.found for file in loaded.files)


def test_a_project_bounds_its_index_in_either_file(places: Places) -> None:
    (places.project / ".pi" / "ds4-context.json").write_text('{"project": {"maxFiles": 7}}', "utf-8")
    places.trusted("[project]\ntotal_bytes = 9\n")
    loaded = places.load(BACKSTORY_PROJECT_FILE_BYTES="8")
    project = loaded.config.project
    assert (project.files, project.file_bytes, project.total_bytes) == (7, 8, 9)
    assert loaded.origins["project.files"] == "ds4-project"
    assert not loaded.remarks


@pytest.mark.parametrize("bound", ["files = 0", "file_bytes = 50_000_000", "total_bytes = true"])
def test_a_bound_that_no_index_could_keep_to_is_told_and_the_default_holds(places: Places, bound: str) -> None:
    places.trusted(f"[project]\n{bound}\n")
    loaded = places.load()
    assert len(loaded.problems) == 1
    assert loaded.config.project.files == 100_000


def test_later_sources_win_value_by_value(places: Places) -> None:
    (places.pi / "ds4-context.json").write_text(
        json.dumps({"context": {"recentTailTokens": 1, "maxPinnedTokens": 1}}), "utf-8"
    )
    places.user("[budget]\npins = 2\nmemory = 2\nhistory = 2\n")
    places.trusted("[budget]\nmemory = 3\nhistory = 3\n")
    loaded = places.load(BACKSTORY_BUDGET_HISTORY="4")
    budget = loaded.config.budget
    assert (budget.tail, budget.pins, budget.memory, budget.history) == (1, 2, 3, 4)
    assert loaded.origins == {
        "budget.tail": "ds4-user",
        "budget.pins": "user",
        "budget.memory": "project",
        "budget.history": "environment",
    }


def test_a_bad_value_is_told_with_line_and_key_and_only_it_is_left_aside(places: Places) -> None:
    places.user('[context]\nplacement = "left"\n\n[budget]\ntail = -1\npins = 5\n[budgets]\nx = 1\n')
    loaded = places.load()
    assert loaded.config.budget.pins == 5
    assert loaded.config.budget.tail == 64_000
    name = places.home / "config.toml"
    assert loaded.warnings == (
        f"{name}:2: context.placement: cannot be 'left'; choose one of latest-user, stable-prefix, hybrid",
        f"{name}:5: budget.tail: expected a whole number of at least 0",
        f"{name}:7: budgets: no such setting; did you mean budget?",
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[budget]\nsoft_fill = 0.95\npins = 3\n", "soft_fill must not be above hard_fill"),
        ("[calibration]\nlower = 1.5\n", "lower must be at most 1"),
        ('[models."a/b"]\nwindow = 10\nmax_output = 11\n[models."a/c"]\ntail = 5\n', "more output than window"),
        ('[models."nobody"]\ntail = 5\n', "is none of *, provider/* and provider/model"),
    ],
)
def test_a_section_that_contradicts_itself_is_left_aside(places: Places, text: str, told: str) -> None:
    places.user(text)
    loaded = places.load()
    assert loaded.config == Loaded().config
    assert loaded.origins == {}
    assert told in loaded.warnings[0]


@pytest.mark.parametrize("text", ["[budget\ntail = 1\n", "\x00", "a = 1\na = 2\n"])
def test_a_file_that_cannot_be_parsed_costs_its_settings_only(places: Places, text: str) -> None:
    places.user(text)
    loaded = places.load(BACKSTORY_BUDGET_PINS="9")
    assert loaded.config.budget.pins == 9
    assert loaded.config.privacy == Policy()
    assert "cannot be parsed" in loaded.warnings[0]


@pytest.mark.parametrize(
    "text",
    [
        "[privacy\nenabled = true\n",
        '[privacy]\nenabled = "yes"\n',
        "[privacy]\nenable = true\n",
        '[privacy]\nenabled = true\ndefault = "secret"\n',
        '[privacy]\nenabled = true\nremote_default = ["local-only"]\n',
        '[privacy]\nlocal = ["x"]\n[privacy.remote]\nx = ["normal"]\n',
        "privacy = 1\n",
    ],
)
@pytest.mark.parametrize("where", ["user", "trusted"])
def test_privacy_that_cannot_be_understood_withholds_everything(places: Places, where: str, text: str) -> None:
    getattr(places, where)(text)
    loaded = places.load()
    assert loaded.config.privacy == LOCKED
    assert "until this is mended" in loaded.warnings[0]


def test_a_settings_file_that_nobody_may_read_withholds_everything(places: Places) -> None:
    (places.home / "config.toml").mkdir()
    loaded = places.load()
    assert loaded.config.privacy == LOCKED
    assert "cannot be" in loaded.warnings[0]


@pytest.mark.parametrize("content", ["[privacy]\nenabled = true\n".encode("utf-16"), b"#" * 2**20 + b"\n[privacy]\n"])
def test_privacy_in_a_file_of_a_strange_encoding_or_size_withholds_everything(places: Places, content: bytes) -> None:
    (places.home / "config.toml").write_bytes(content)
    assert places.load().config.privacy == LOCKED


def test_nothing_waits_for_a_pipe_in_place_of_a_file(places: Places) -> None:
    os.mkfifo(places.project / PROJECT_FILE)
    assert "not a regular file" in places.load().warnings[0]


def test_a_file_of_any_name_may_hold_the_settings(places: Places, tmp_path: Path) -> None:
    (tmp_path / "mine.conf").write_text("[budget]\ntail = 5\n", encoding="utf-8")
    assert places.load(BACKSTORY_CONFIG=str(tmp_path / "mine.conf")).config.budget.tail == 5


def test_a_named_file_that_is_not_there_is_told(places: Places, tmp_path: Path) -> None:
    assert "BACKSTORY_CONFIG" in places.load(BACKSTORY_CONFIG=str(tmp_path / "typo.toml")).warnings[0]


@pytest.mark.parametrize("text", [f"[budget]\ntail = {10**30}", '[models."*"]\nprices = { input = inf }'])
def test_numbers_beyond_any_use_are_told(places: Places, text: str) -> None:
    places.user(text)
    loaded = places.load()
    assert loaded.config == Loaded().config
    assert "at most 1000000000000" in loaded.warnings[0]


def test_a_project_makes_privacy_stricter_and_never_looser(places: Places) -> None:
    places.user(
        '[privacy]\nenabled = true\ndefault = "internal"\nlocal = ["a", "b", "c"]\n'
        '[privacy.remote]\nopenai = ["normal", "internal", "sensitive"]\n'
    )
    places.trusted(
        '[privacy]\nenabled = false\ndefault = "normal"\nlocal = ["a", "evil"]\nredact_secrets = false\n'
        'remote_default = ["normal", "sensitive"]\n'
        '[privacy.remote]\nOpenAI = ["sensitive"]\nother = ["normal", "internal"]\nc = ["normal"]\n'
    )
    assert places.load().config.privacy == Policy(
        enabled=True,
        default="internal",
        local=("a",),
        remote_default=("normal",),
        remote={"openai": ("sensitive",), "other": ("normal",), "c": ("normal",)},
        redact_secrets=True,
    )


def test_the_environment_cannot_undo_what_a_project_makes_stricter(places: Places) -> None:
    places.trusted("[privacy]\nenabled = true\n")
    loaded = places.load(BACKSTORY_PRIVACY_ENABLED="false", BACKSTORY_PRIVACY_LOCAL="x, y")
    assert loaded.config.privacy.enabled
    assert loaded.config.privacy.local == ("x", "y")
    assert loaded.origins["privacy.enabled"] == "project"


def test_other_variables_of_ours_are_no_settings(places: Places) -> None:
    loaded = places.load(BACKSTORY_PAGER="cat", BACKSTORY_TEST_DATA="x", BACKSTORY_MODE="observe")
    assert loaded.config.mode == "observe"
    assert loaded.problems == ()
    assert "no such setting" in places.load(BACKSTORY_CONTEXT_CARDS="no").warnings[0]


def test_semantic_retrieval_only_warns(places: Places) -> None:
    places.user("[retrieval]\nsemantic = true\n")
    loaded = places.load()
    assert any("nothing is enabled" in warning for warning in loaded.warnings)


def test_a_changed_file_is_read_again(places: Places) -> None:
    places.user("[budget]\npins = 1\n")
    assert places.load().config.budget.pins == 1
    places.user("[budget]\npins = 11\n")
    assert places.load().config.budget.pins == 11


def test_settings_of_the_ds4_engine_are_understood(places: Places) -> None:
    given = {
        "enabled": False,
        "context": {"supplementalPlacement": "hybrid", "cacheAware": {"mode": "auto", "minimumMissHitRatio": 9}},
        "modelAwareness": {
            "autoTune": True,
            "overrides": {"openai/*": {"contextWindow": 9_000, "tokenEstimator": "o200k-base-v1", "odd": 1}},
        },
        "privacy": {"enabled": True, "remoteProviders": {"openai": ["normal"]}},
        "compaction": {"enabled": True},
        "diagnostics": {"logLevel": "info", "storeContextManifest": False},
    }
    path = places.pi / "ds4-context.json"
    path.write_text(json.dumps(given, indent=1), encoding="utf-8")
    loaded = places.load()
    config = loaded.config
    assert config.mode == "off"
    assert config.context.placement == "hybrid"
    assert (config.cache.mode, config.cache.minimum_ratio) == ("auto", 9.0)
    assert config.calibration.auto_tune
    assert not config.manifests.store
    override = config.models["openai/*"]
    assert (override.window, override.estimator) == (9_000, "bpe")
    assert config.privacy.enabled
    assert config.privacy.remote == {"openai": ("normal",)}
    assert loaded.warnings == ()
    told = "\n".join(loaded.remarks)
    for name in ("compaction", "diagnostics.logLevel", 'modelAwareness.overrides."openai/*".odd'):
        assert f": {name}: has no meaning here" in told
    assert "ds4-context.json:16: modelAwareness" in told


def test_keys_that_ask_for_what_is_done_anyway_are_not_told(places: Places) -> None:
    given = {
        "retrieval": {"exact": True, "fts": True, "semantic": False},
        "artifacts": {"adaptiveBudget": False, "excerptChars": 6_000, "maxArtifactBytes": 100_000_000},
        "diagnostics": {"storeFullRenderedContext": False},
        "ranking": {"mode": "off"},
        "quality": {"enabled": False},
    }
    (places.pi / "ds4-context.json").write_text(json.dumps(given), encoding="utf-8")
    assert places.load().remarks == ()


@pytest.mark.parametrize("given", ds4.ANYWAY)
def test_asking_for_anything_else_is_told_once(places: Places, given: str) -> None:
    section, _, name = given.partition(".")
    path = places.pi / "ds4-context.json"
    path.write_text(json.dumps({section: {name: "otherwise"}}), encoding="utf-8")
    loaded = places.load()
    assert loaded.warnings == ()
    assert loaded.remarks == (f"{path}:1: {given}: has no meaning here and is left aside",)


@pytest.mark.parametrize(
    ("ways", "enabled", "told"),
    [
        ({"exact": False, "fts": False}, False, 0),
        ({"exact": False}, True, 1),
        ({"exact": False, "fts": True}, True, 1),
        ({"exact": True, "fts": False}, True, 1),
    ],
)
def test_looking_further_back_is_off_where_both_ways_of_it_are(
    places: Places, ways: dict[str, bool], told: int, *, enabled: bool
) -> None:
    (places.pi / "ds4-context.json").write_text(json.dumps({"retrieval": ways}), encoding="utf-8")
    loaded = places.load()
    assert (loaded.config.retrieval.enabled, len(loaded.remarks)) == (enabled, told)


def test_an_unknown_key_about_privacy_is_never_left_aside(places: Places) -> None:
    (places.pi / "ds4-context.json").write_text('{"privacy": {"strict": true}}', encoding="utf-8")
    loaded = places.load()
    assert "privacy.strict" in loaded.warnings[0]
    assert loaded.config.privacy == LOCKED


def test_a_bad_value_of_the_ds4_engine_is_told_under_its_own_name(places: Places) -> None:
    (places.pi / "ds4-context.json").write_text('{"context":\n {"recentTailTokens": "many"}}', encoding="utf-8")
    assert places.load().warnings == (
        f"{places.pi / 'ds4-context.json'}:2: context.recentTailTokens: expected a whole number, got a text",
    )
