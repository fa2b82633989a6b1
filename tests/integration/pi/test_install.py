"""`backstory pi`: the extension goes in and out of Pi's folders, and nothing of anybody else's is touched."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backstory.engine.pi import extension
from backstory.surfaces.cli.main import main


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a person's Pi, who stands in a project."""
    folder = tmp_path / "agent"
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(folder))
    monkeypatch.setenv("BACKSTORY_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(project)
    return folder


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """What an older version would install."""
    folder = tmp_path / "older"
    folder.mkdir()
    for name in extension.FILES:
        (folder / name).write_text(f"older {name}", encoding="utf-8")
    return folder


def ask(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert main([*words, "--json"]) == code, capsys.readouterr()
    told = capsys.readouterr().out
    return json.loads(told) if told else {}


def diagnosed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The checks of the doctor, whose exit code says whether one of them failed."""
    code = main(["pi", "doctor", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert code == (7 if told["status"] == "fail" else 0)
    checks: list[dict[str, Any]] = told["checks"]
    return checks


def test_in_again_and_out(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = agent / "extensions" / "backstory"
    first = ask(capsys, "pi", "install")
    assert (first["outcome"], first["folder"]) == ("installed", str(folder))
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    assert ask(capsys, "pi", "install")["outcome"] == "unchanged"
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()} == before
    assert [row["state"] for row in ask(capsys, "pi", "status")["places"]] == ["current", "absent"]
    assert ask(capsys, "pi", "uninstall")["outcome"] == "removed"
    assert not folder.exists()
    assert ask(capsys, "pi", "uninstall")["outcome"] == "absent"


def test_the_note_says_what_to_start_and_what_to_offer(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(capsys, "pi", "install")
    note = json.loads((agent / "extensions" / "backstory" / "backstory.json").read_text(encoding="utf-8"))
    assert note["python"] == sys.executable
    assert {tool["name"] for tool in note["tools"]} >= {"context_history_recall", "context_artifact_search"}
    assert all(tool["parameters"]["type"] == "object" and tool["description"] for tool in note["tools"])
    assert ask(capsys, "pi", "install", "--no-tools") | {"tools": ()} == {
        "folder": str(agent / "extensions" / "backstory"),
        "outcome": "updated",
        "files": ["backstory.json"],
        "tools": (),
        "packed": False,
    }


def test_a_project_and_a_folder_of_its_own(agent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ask(capsys, "pi", "install", "--project")
    assert Path(told["folder"]) == Path.cwd() / ".pi" / "extensions" / "backstory"
    assert not agent.exists()
    package = tmp_path / "package"
    ask(capsys, "pi", "install", "--folder", str(package))
    manifest = json.loads((package / "package.json").read_text(encoding="utf-8"))
    assert all((package / name).is_file() for name in manifest["pi"]["extensions"])
    assert "pi-package" in manifest["keywords"]
    assert main(["pi", "install", "--project", "--folder", "x"]) == 2
    capsys.readouterr()
    assert main(["pi", "install", "--folder", str(tmp_path / "other")]) == 0
    assert "is in Pi now" not in capsys.readouterr().out


def test_a_project_looks_as_before_once_it_is_out_again(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(capsys, "pi", "install", "--project")
    ask(capsys, "pi", "uninstall", "--project")
    assert list(Path.cwd().iterdir()) == []
    ask(capsys, "pi", "install", "--project")
    Path(".pi/settings.json").write_text("{}", encoding="utf-8")
    ask(capsys, "pi", "uninstall", "--project")
    assert [path.name for path in Path(".pi").iterdir()] == ["settings.json"]


@pytest.mark.parametrize("words", [("pi", "install"), ("pi", "uninstall")])
def test_what_is_not_ours_or_was_changed_stays(
    agent: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = agent / "extensions" / "backstory"
    folder.mkdir(parents=True)
    foreign = folder / "index.ts"
    foreign.write_text("// somebody else's", encoding="utf-8")
    if words[1] == "install":
        assert main([*words]) == 2
        assert "not ours" in capsys.readouterr().err
    else:
        assert ask(capsys, *words)["outcome"] == "absent"
    assert foreign.read_text(encoding="utf-8") == "// somebody else's"
    assert ask(capsys, "pi", "status")["places"][0]["state"] == "foreign"
    ask(capsys, "pi", "install", "--force")
    foreign.write_text(foreign.read_text(encoding="utf-8") + "// mine", encoding="utf-8")
    assert ask(capsys, "pi", "status")["places"][0]["state"] == "edited"
    assert main([*words]) == 2
    assert "changed by hand" in capsys.readouterr().err
    assert foreign.read_text(encoding="utf-8").endswith("// mine")
    ask(capsys, *words, "--force")


@pytest.mark.parametrize("before", ["nothing", "an older version"])
def test_an_install_that_was_cut_short_is_finished_by_the_next(
    agent: Path, older: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], before: str
) -> None:
    folder = agent / "extensions" / "backstory"
    if before == "an older version":
        with monkeypatch.context() as patch:
            patch.setattr(extension, "SHIPPED", older)
            ask(capsys, "pi", "install")
    replace = os.replace

    def stopped(draft: str, path: Path) -> None:
        if path.name == extension.NOTE:
            raise KeyboardInterrupt
        replace(draft, path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stopped)
        ask(capsys, "pi", "install", code=130)
    assert ask(capsys, "pi", "install")["files"] == [extension.NOTE]
    assert ask(capsys, "pi", "status")["places"][0]["state"] == "current"
    assert folder.exists()


def test_other_files_in_the_folder_stay(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(capsys, "pi", "install")
    mine = agent / "extensions" / "backstory" / "mine.txt"
    mine.write_text("x", encoding="utf-8")
    ask(capsys, "pi", "uninstall")
    assert list(mine.parent.iterdir()) == [mine]


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize("files", [extension.FILES, ("index.ts", "package.json")], ids=["of as many files", "of fewer"])
def test_an_older_one_is_brought_up_to_date(
    older: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, files: tuple[str, ...]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(extension, "SHIPPED", older)
        patch.setattr(extension, "FILES", files)
        ask(capsys, "pi", "install")
    assert ask(capsys, "pi", "status")["places"][0]["state"] == "outdated"
    updated = ask(capsys, "pi", "install")
    assert (updated["outcome"], updated["files"]) == ("updated", [*extension.FILES, extension.NOTE])
    assert ask(capsys, "pi", "status")["places"][0]["state"] == "current"


def test_all_that_is_shipped_is_installed() -> None:
    assert sorted(extension.FILES) == sorted(os.listdir(extension.SHIPPED))


def test_a_folder_that_cannot_be_written_is_told(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agent.write_text("a file", encoding="utf-8")
    assert main(["pi", "install"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_doctor_finds_what_is_wrong(agent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def told() -> dict[str, tuple[str, str]]:
        return {one["name"]: (one["status"], one["detail"]) for one in diagnosed(capsys)}

    assert told()["extension"] == ("fail", "it is not installed; `backstory pi install` does that")
    ask(capsys, "pi", "install")
    found = told()
    assert found["python"] == ("ok", f"{sys.executable} answers")
    assert found["user"][0] == "ok"
    ask(capsys, "pi", "install", "--project")
    assert "installed 2 times" in told()["extension"][1]
    note = agent / "extensions" / "backstory" / "backstory.json"
    written = json.loads(note.read_text(encoding="utf-8"))
    note.write_text(json.dumps(written | {"python": "/nowhere/python"}), encoding="utf-8")
    ask(capsys, "pi", "uninstall", "--project")
    assert told()["python"] == (
        "fail",
        "/nowhere/python is not there any more; `backstory pi install` notes another one",
    )
    ask(capsys, "pi", "install")
    database = Path(json.loads(note.read_text(encoding="utf-8"))["guard"]).parent / "derived" / "history.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"not a database, but long enough to look like one" * 100)
    assert told()["store"][0] == "fail"


def test_the_doctor_looks_at_the_settings_of_a_trusted_project(
    agent: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told() -> tuple[str, str]:
        checks = diagnosed(capsys)
        return next((one["status"], one["detail"]) for one in checks if one["name"] == "settings")

    shop = tmp_path / "shop"
    (shop / ".backstory").mkdir(parents=True)
    (shop / ".backstory" / "config.toml").write_text('mode = "observe"\n', encoding="utf-8")
    monkeypatch.chdir(shop)
    assert told() == ("ok", "nothing is wrong with them")
    assert main(["project", "trust"]) == 0
    capsys.readouterr()
    assert told() == ("warn", 'mode is "observe", so no call is changed')


def test_rpc_answers_and_ends_with_its_input(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "backstory", "rpc"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for line in (
            b'{"id":1,"method":"initialize","params":{"protocol":1}}',
            b"print me",
            b'{"id":2,"method":"storage"}',
        ):
            process.stdin.write(line + b"\n")
        process.stdin.flush()
        answers = {one["id"]: one for one in (json.loads(process.stdout.readline()) for _ in range(3))}
        process.stdin.close()
        assert process.wait(30) == 0
        assert answers[1]["result"]["protocol"] == 1
        assert answers[2]["result"]["sessions"] == 0
        assert answers[None]["error"]["code"] == -32700
        assert process.stdout.read() + process.stderr.read() == b""


def test_what_libraries_print_never_reaches_the_other_side() -> None:
    script = "import sys; from backstory.surfaces.rpc import methods, main\n"
    script += "methods.find = lambda name, host: (dict, lambda params: print('stray'))\nsys.exit(main.main())"
    asked = b'{"id":1,"method":"any"}\n{"id":2,"method":"shutdown"}\n'
    done = subprocess.run([sys.executable, "-c", script], input=asked, capture_output=True, check=True, timeout=60)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
    assert done.stderr == b"stray\n"


def settings(folder: Path, **names: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(names), encoding="utf-8")


def states(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The state of every place by its scope, whether it is a package, and the last part of its folder."""
    return {
        f"{row['scope']}{' package' * row['packed']} {Path(row['folder']).name}": row["state"]
        for row in ask(capsys, "pi", "status")["places"]
        if row["state"] != "absent"
    }


@pytest.mark.parametrize("name", ["packages", "extensions"])
def test_a_package_that_the_settings_of_pi_name_is_found(
    agent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    ask(capsys, "pi", "install", "--folder", str(tmp_path / "mine"))
    assert states(capsys) == {}
    settings(agent, **{name: ["npm:something-else", "../mine", str(tmp_path / "mine"), "../no-such-folder"]})
    assert states(capsys) == {"user package mine": "current"}
    (tmp_path / "mine" / "index.ts").write_text("changed", encoding="utf-8")
    assert states(capsys) == {"user package mine": "edited"}
    (tmp_path / "mine" / "backstory.json").unlink()
    assert states(capsys) == {"user package mine": "bare"}
    assert main(["pi", "status"]) == 0
    assert "user package" in capsys.readouterr().out


def test_a_package_of_a_project_from_npm_and_one_that_is_switched_off(
    agent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Path.cwd() / ".pi"
    ask(capsys, "pi", "install", "--folder", str(here / "npm" / "node_modules" / "@me" / "carried"))
    settings(here, packages=["npm:@me/carried@1.0.0"])
    assert states(capsys) == {"project package carried": "current"}
    ask(capsys, "pi", "install", "--folder", str(tmp_path / "aside"))
    settings(agent, packages=[{"source": str(tmp_path / "aside"), "extensions": []}])
    assert states(capsys) == {"project package carried": "current", "user package aside": "off"}
    checks = {one["name"]: one for one in diagnosed(capsys)}
    assert "load no extension of it" in checks["user package"]["detail"]
    assert checks["project package"]["status"] == "ok"
    assert "extension" not in checks


@pytest.mark.parametrize(
    "told", ["{", "[]", '{"packages": "x", "extensions": {}}', '{"packages": [7, {"source": 7}, ""]}']
)
def test_settings_of_another_shape_name_nothing(agent: Path, capsys: pytest.CaptureFixture[str], told: str) -> None:
    agent.mkdir()
    (agent / "settings.json").write_text(told, encoding="utf-8")
    assert states(capsys) == {}


def test_a_package_beside_an_installed_extension_is_told(
    agent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(capsys, "pi", "install")
    ask(capsys, "pi", "install", "--folder", str(tmp_path / "mine"))
    settings(agent, packages=["../mine"])
    told = [one["detail"] for one in diagnosed(capsys) if one["name"] == "extension"]
    assert told == ["it is installed 2 times; only the one that Pi loads first will work"]
