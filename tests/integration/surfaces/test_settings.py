"""Settings on the command line: what holds, where it comes from, what is wrong."""

from pathlib import Path

import pytest

from tests.fakes.desk import Desk


@pytest.fixture
def shop(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder with settings, which nobody trusts yet; commands run in it."""
    folder = desk.home / "shop"
    (folder / ".backstory").mkdir(parents=True)
    (folder / ".backstory" / "config.toml").write_text("[privacy]\nenabled = true\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def write(desk: Desk, text: str) -> Path:
    path = desk.data / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_setting_is_shown_with_its_source(desk: Desk) -> None:
    path = write(desk, '[context]\nplacement = "hybrid"\n[models."acme/*"]\nwindow = 64000\n')
    rows = {row["key"]: row for row in desk.run("config", "show", "--json").json["settings"]}
    assert rows["context.placement"] == {"key": "context.placement", "value": "hybrid", "origin": "user"}
    assert rows["budget.tail"] == {"key": "budget.tail", "value": 64_000, "origin": "default"}
    assert rows['models."acme/*".window']["value"] == 64_000
    shown = desk.run("config", "show", "--changed").out.splitlines()
    assert [line.split() for line in shown] == [
        ["context.placement", "=", '"hybrid"', "#", "user"],
        ['models."acme/*".window', "=", "64000", "#", "user"],
    ]
    assert f"user               {path}" in desk.run("config", "path").out


def test_what_is_wrong_is_told_with_file_line_key_and_reason(desk: Desk) -> None:
    path = write(desk, "[budget]\ntail = true\n")
    answer = desk.run("config", "check")
    assert answer.code == 3
    assert f"{path}:2: budget.tail: expected a whole number, got true or false" in answer.err
    path.write_text("", encoding="utf-8")
    assert desk.run("config", "check").out == "1 settings file, nothing wrong\n"


def test_settings_of_a_project_count_once_somebody_trusts_it(desk: Desk, shop: Path) -> None:
    def private() -> bool:
        rows = desk.run("config", "show", "--json").json["settings"]
        return next(bool(row["value"]) for row in rows if row["key"] == "privacy.enabled")

    assert not private()
    assert "untrusted project" in desk.run("config", "path").out
    assert desk.run("project", "trust").code == 0
    assert private()
    assert f"project            {shop / '.backstory' / 'config.toml'}" in desk.run("config", "path").out
    desk.run("project", "untrust")
    assert not private()


def test_settings_for_another_folder_can_be_asked_for(desk: Desk, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.run("project", "trust")
    monkeypatch.chdir(desk.home)
    assert "privacy.enabled" not in desk.run("config", "show", "--changed").out
    assert "privacy.enabled = true  # project" in desk.run("config", "show", "--changed", "--project", str(shop)).out


def test_a_plan_of_a_session_in_a_trusted_project_heeds_its_settings(desk: Desk, shop: Path) -> None:
    desk.pi("one", ["note [ds4:local-only]CANARY[/ds4:local-only]", "and?"], cwd=str(shop))
    assert "CANARY" in desk.run("plan", "one", "--json").out
    desk.run("project", "trust")
    assert "CANARY" not in desk.run("plan", "one", "--json").out


def test_what_a_trusted_project_sets_about_memory_holds_for_its_lists_too(desk: Desk, shop: Path) -> None:
    desk.pi("one", ["hello"], cwd=str(shop))
    desk.pi("two", ["hello"], cwd=str(shop))
    (shop / ".backstory" / "config.toml").write_text("[memory]\nacross_sessions = true\n", encoding="utf-8")
    assert desk.run("memory", "sources", "one", "--json").json["shared"] is False
    desk.run("project", "trust")
    assert desk.run("memory", "sources", "one", "--json").json["shared"] is True
