"""A manifest says where everything in a call comes from, in which state, and why, and repeats no word of any text."""

import json
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.engine.host.host import Host
from backstory.engine.open import open_engine
from backstory.engine.planning import manifests
from backstory.plan.explain import explain
from backstory.records.budget import Model
from backstory.records.host import HostCall
from backstory.records.manifest import Manifest
from backstory.records.planning import ManifestRequest
from backstory.records.protocol import Around, ContextRequest
from tests.fakes.desk import Desk

ASKED = "where does reconcile_ledger in src/ledger.py weigh pomegranates?"


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), "-c", "user.name=ada", "-c", "user.email=ada@example.org", *words],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout.strip()


@pytest.fixture
def shop(desk: Desk) -> Path:
    """A repository of two files, one of them changed since the only commit, and a session."""
    root = desk.home / "shop"
    (root / "src").mkdir(parents=True)
    ledger = root / "src" / "ledger.py"
    ledger.write_text("class Ledger:\n    def reconcile_ledger(self):\n        pass\n", encoding="utf-8")
    (root / "README.md").write_text("# Scales\n\n## How we weigh pomegranates\n\nby hand\n", encoding="utf-8")
    git(root, "init", "-q", "-b", "trunk")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begin")
    with ledger.open("a", encoding="utf-8") as file:
        file.write("# pomegranates\n")
    desk.pi("p1", ["sort the ledger", "done"], cwd=str(root))
    desk.run("project", "trust", "--root", str(root))
    return root


def planned(desk: Desk, shop: Path, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = desk.ask("plan", "p1", "--request", ASKED, "--project", str(shop), *more)["manifest"]
    return found


def test_source_is_named_with_its_state_and_the_reason_in_words(desk: Desk, shop: Path) -> None:
    made = planned(desk, shop)
    head = git(shop, "rev-parse", "HEAD")
    changed, same = sorted(made["snippets"], key=lambda one: str(one["path"]), reverse=True)
    assert [changed["path"], changed["modified"], changed["commit"]] == ["src/ledger.py", True, None]
    assert [same["path"], same["modified"], same["commit"]] == ["README.md", False, head]
    assert changed["symbol"] == "Ledger.reconcile_ledger"
    assert same["symbol"] is None  # a heading is text
    revision = made["revision"]
    assert [revision[name] for name in ("branch", "head", "dirty", "changed")] == ["trunk", head, True, 1]
    assert revision["git_root"] == str(shop)
    assert revision["indexed_at"] > 0
    reasons = {line["source"]: line["reason"] for line in made["included"] if line["kind"] == "project"}
    assert reasons[changed["id"]].startswith("exact path in the request; declares 1 name of the request; holds 1 name")
    assert reasons[same["id"]] == "holds 2 words of the request"
    assert "pomegranates" not in json.dumps(made)


def test_people_read_the_state_and_the_reasons(desk: Desk, shop: Path) -> None:
    made = planned(desk, shop)
    head = git(shop, "rev-parse", "HEAD")
    explained = desk.run("manifest", "explain", made["id"]).out
    assert f"Source of {shop}, trunk at {head[:12]} with 1 file changed since" in explained
    assert "1 range that changed since: exact path in the request" in explained
    assert "1 range: holds 2 words of the request" in explained
    for command in ("show", "included"):
        assert "src/ledger.py:1-4: exact path in the request" in desk.run("manifest", command, made["id"]).out


def test_outside_git_there_is_no_commit(desk: Desk) -> None:
    root = desk.home / "plain"
    root.mkdir()
    (root / "ledger.py").write_text("def reconcile_ledger():\n    pass\n", encoding="utf-8")
    desk.pi("p1", ["sort the ledger", "done"], cwd=str(root))
    desk.run("project", "trust", "--root", str(root))
    made = planned(desk, root)
    assert [made["revision"][name] for name in ("git_root", "branch", "head", "dirty")] == [None, None, None, False]
    assert [one["commit"] for one in made["snippets"]] == [None]
    explained = desk.run("manifest", "explain", made["id"]).out
    assert f"Source of {root}, indexed" in explained
    assert "since" not in explained, "there is no commit to differ from"


def test_without_a_project_nothing_is_said_of_one(desk: Desk, shop: Path) -> None:
    made = desk.ask("plan", "p1", "--request", ASKED)["manifest"]
    assert (made["project"], made["revision"], made["snippets"]) == (None, None, [])
    assert str(shop) not in desk.run("manifest", "explain", made["id"]).out


def test_what_is_kept_is_named_with_its_scope_and_origin(desk: Desk, shop: Path) -> None:
    desk.pi("p2", ["another day", "yes"], cwd=str(shop))
    desk.run("index")
    desk.run("pin", "p1", "--file", "src/ledger.py", "no zinnias at all")
    desk.run("pin", "p1", "--scope", "branch", "no zinnias here")
    desk.run("memory", "add", "p2", "--scope", "project", "pomegranates are weighed in zinnias")
    old = desk.run("memory", "add", "p1", "pomegranates weigh ten zinnias", "--json").json["item"]["id"]
    desk.run("memory", "supersede", "p1", old, "pomegranates weigh nine zinnias")
    made = planned(desk, shop)
    assert "zinnias" not in json.dumps(made)
    by_place = {(one["kind"], one["scope"]): one for one in made["kept"]}
    assert sorted(by_place) == [("memory", "project"), ("memory", "session"), ("pin", "branch"), ("pin", "session")]
    assert sorted([*made["pins"], *made["memories"]]) == sorted(one["id"] for one in made["kept"])
    assert by_place["pin", "session"]["source_file"] == "src/ledger.py"
    assert by_place["pin", "branch"]["leaf"] is not None
    assert by_place["memory", "session"]["supersedes"] == old
    assert [by_place["memory", scope]["session"] for scope in ("session", "project")] == ["p1", "p2"]
    assert all(one["mutation"] for one in made["kept"])
    told = "Pins and memories: 1 of this branch, 2 of this session, 1 of the project; 1 made in other sessions."
    assert told in desk.run("manifest", "explain", made["id"]).out


@pytest.mark.parametrize("failed", [True, False])
def test_a_large_result_is_named_with_its_bytes_and_its_call(desk: Desk, *, failed: bool) -> None:
    body = "row of data\n" * 3_000
    rows: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00Z"}]
    call = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "make"}}
    result = {"role": "toolResult", "toolCallId": "c1", "toolName": "bash", "isError": failed}
    messages = [
        {"role": "user", "content": "run it"},
        {"role": "assistant", "content": [call]},
        result | {"content": [{"type": "text", "text": body}]},
    ]
    for number, message in enumerate(messages):
        place = {"id": f"e{number}", "parentId": f"e{number - 1}" if number else None}
        rows.append({"type": "message", "timestamp": "2026-01-01T00:00:00Z", "message": message, **place})
    desk.put(desk.pi_folder / "s1.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    for _ in range(2):
        [ref] = desk.ask("plan", "s1")["manifest"]["artifacts"]
        assert ref["sha256"] == sha256(body.encode()).hexdigest()
        assert [ref[name] for name in ("mime", "call", "error", "level")] == ["text/plain", "c1", failed, "normal"]
    assert list((desk.data / "derived" / "artifacts").glob(f"??/{ref['sha256']}*"))
    more = "; 1 failed" if failed else ""
    assert f"Shortened to references: 1 large tool result (bash{more})." in desk.run("plan", "s1").out


def host_plan(desk: Desk, fixed: Around) -> Manifest:
    """What is kept of a host's call."""
    raw = json.dumps({"role": "user", "content": "go", "timestamp": 99}).encode()
    call = HostCall(session="h", cwd=str(desk.home), ephemeral=True, model=Model("mock", "m", 64_000, 1_000))
    with open_engine(desk.data, env=desk.env()) as engine:
        host = Host(engine)
        name = f":{sha256(raw).hexdigest()[:16]}"
        host.context(ContextRequest(call, 0, (name,), fixed=fixed))
        answer = host.context(ContextRequest(call, 1, (), {0: msgspec.Raw(raw)}, fixed=fixed))
        host.finish()
        return manifests.show(engine, ManifestRequest(manifest=answer.manifest or ""))


@pytest.mark.parametrize(
    ("names", "count", "told"), [(("bash", "read"), 2, "2 tools"), ((), 0, None), (None, None, "tools")]
)
def test_a_host_tells_system_prompt_and_tools_apart(
    desk: Desk, names: tuple[str, ...] | None, count: int | None, told: str | None
) -> None:
    made = host_plan(desk, Around(4_001, 0 if names == () else 2_002, names))
    parts = made.composition
    assert (parts.system, parts.tools) == ((1_001, 0) if names == () else (1_000, 501))
    assert (parts.tool_count, made.tools) == (count, names or ())
    assert made.estimated_input == parts.system + parts.tools + parts.messages
    words = "\n".join(explain(made))
    assert "1,00" in words
    assert "system prompt\n" in words
    assert (f"501  {told}\n" in words) == (told is not None)


def test_a_person_who_gives_one_number_is_told_one(desk: Desk, shop: Path) -> None:
    made = planned(desk, shop, "--fixed", "700")
    assert [made["composition"][name] for name in ("system", "tools", "tool_count")] == [700, 0, None]
    assert "700  system prompt and tools" in desk.run("manifest", "explain", made["id"]).out
