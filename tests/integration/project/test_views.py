"""What people read about a project and about the extension in Pi: the answers in words."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.fakes.desk import Desk

QUEUE = '''"""A queue of jobs."""


class Queue:
    """Holds jobs until they are taken."""

    def take_job(self) -> str:
        """The oldest job."""
        return self.jobs.pop(0)
'''


@pytest.fixture
def shop(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a few files, the current one."""
    folder = desk.home / "shop"
    folder.mkdir()
    (folder / "queue.py").write_text(QUEUE, encoding="utf-8")
    (folder / "long.py").write_text("".join(f"LINE_{at} = 'take_job {at}'\n" for at in range(60)), encoding="utf-8")
    (folder / "logo.png").write_bytes(b"\x89PNG")
    monkeypatch.chdir(folder)
    return folder


def seen(desk: Desk, *words: str) -> str:
    answer = desk.run(*words)
    assert (answer.code, answer.err) == (0, ""), words
    return answer.out


def test_nothing_is_read_before_trust_and_all_is_told_after(desk: Desk, shop: Path) -> None:
    assert f"{shop}  untrusted\nnothing of it was read; backstory project trust" in seen(desk, "project", "status")
    assert seen(desk, "project", "trust") == f"{shop} is trusted\n"
    assert "not indexed yet; backstory project index does it" in seen(desk, "project", "status")
    told = seen(desk, "project", "index")
    assert told.startswith("2 files: 2 indexed, 0 unchanged, 0 removed\n")
    assert "left out: 1 asset" in told
    (shop / "data.bin.txt").write_bytes(b"\0\0")
    seen(desk, "project", "index")
    told = seen(desk, "project", "status")
    assert "\n2 files, 2 snippets, " in told
    assert "\nread and left out: 1 binary file\n" in told
    assert seen(desk, "project", "untrust") == f"{shop} is untrusted\n"


def test_what_is_left_out_is_counted_in_words(desk: Desk, shop: Path) -> None:
    for name in (b"caf\xe9.py", b"th\xe9.py", b"data.bin", b"uv.lock"):
        (shop / os.fsdecode(name)).write_bytes(b"\0\0")
    told = seen(desk, "project", "index", "--trust-once").splitlines()[1]
    assert "2 files with a name that is not UTF-8 or leads out of the project" in told
    assert "1 binary file" in told
    assert "1 lock file" in told


def test_what_one_command_was_allowed_to_read_is_told(desk: Desk, shop: Path) -> None:
    assert "an index of it is kept" not in seen(desk, "project", "status", "--root", str(shop))
    assert seen(desk, "project", "search", "take_job", "--trust-once").startswith("queue.py")
    assert "made for an agent that trusts it or with --trust-once" in seen(desk, "project", "status")
    assert seen(desk, "project", "untrust") == f"{shop} is untrusted\n"
    assert "an index of it is kept" not in seen(desk, "project", "status")


def test_files_and_declarations_are_listed(desk: Desk, shop: Path) -> None:
    assert seen(desk, "project", "trust").startswith(str(shop))
    listed = seen(desk, "project", "files").splitlines()
    assert [line.split()[-1] for line in listed] == ["long.py", "queue.py"]
    assert "python" in listed[0]
    assert not any(line.startswith(("M", "?")) for line in listed), "there is no commit to differ from"
    assert seen(desk, "project", "files", "nothing/") == "No files.\n"
    assert "… more; --limit raises the bound" in seen(desk, "project", "files", "--limit", "1")
    declared = seen(desk, "project", "symbols", "take_job").splitlines()
    assert declared[0] == "queue.py"
    assert "method" in declared[1]
    assert "take_job" in declared[1]
    assert seen(desk, "project", "symbols", "nothing_like_it") == "No declarations.\n"


def test_files_that_differ_from_the_last_commit_are_marked(desk: Desk, shop: Path) -> None:
    def git(*words: str) -> None:
        person = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
        subprocess.run(["git", *person, *words], cwd=shop, check=True, capture_output=True)

    git("init", "-q")
    git("add", "long.py", "queue.py")
    git("commit", "-q", "-m", "Begin")
    (shop / "queue.py").write_text("changed = True\n", encoding="utf-8")
    (shop / "young.py").write_text("new = True\n", encoding="utf-8")
    assert seen(desk, "project", "trust").startswith(str(shop))
    listed = seen(desk, "project", "files").splitlines()
    assert [(line[0], line.split()[-1]) for line in listed] == [(" ", "long.py"), ("M", "queue.py"), ("?", "young.py")]
    (shop / "later").mkdir()
    (shop / "later" / "new.py").write_text("new = True\n", encoding="utf-8")
    assert seen(desk, "project", "files", "later").startswith("?"), "also where nothing that is listed is tracked"


@pytest.mark.parametrize("adds", [False, True])
def test_every_column_and_row_of_the_figures_of_a_repository_is_explained(
    desk: Desk, shop: Path, *, adds: bool
) -> None:
    def commit(said: str) -> None:
        for words in (("add", "."), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", said)):
            subprocess.run(["git", *words], check=True)

    subprocess.run(["git", "init", "-q"], check=True)
    commit("Hold jobs in a queue until they are taken")
    (shop / "queue.py").write_text(QUEUE.replace("pop(0)", "pop()"), encoding="utf-8")
    commit("Take the newest job of the queue first")
    (shop / "queue.py").write_text(QUEUE, encoding="utf-8")
    if adds:
        (shop / "worker.py").write_text("def work():\n    pass\n", encoding="utf-8")
    (shop / "long.py").write_text("LINE = 1\n", encoding="utf-8")
    commit("Take the oldest job of the queue first again")
    head, *rows, _, legend = seen(desk, "project", "eval", "--trust-once").splitlines()
    columns = {name.partition("@")[0] for name in head.split()} - {"queries"}
    assert columns == {"acc", "MRR", "any", "rec", "files", "hunks"}
    assert all(re.search(rf"\b{name}(@\d)?(, \w+)?: ", legend) or f", {name}: " in legend for name in columns), legend
    assert [any(row.startswith("in place") for row in rows), "in place: " in legend] == [adds, adds]


def test_source_is_found_and_shown(desk: Desk, shop: Path) -> None:
    assert seen(desk, "project", "trust").startswith(str(shop))
    told = seen(desk, "project", "search", "where is take_job declared")
    assert told.startswith("queue.py  ")
    assert "       7      def take_job(self) -> str:" in told
    assert "names nothing specific" in seen(desk, "project", "search", "the")
    assert seen(desk, "project", "search", "absent_name_one").startswith("Nothing matches.\nlooked through 2 files\n")
    whole = seen(desk, "project", "show", "long.py")
    assert "      60  LINE_59" in whole
    assert "more line" not in whole
    part = seen(desk, "project", "show", "queue.py:7-8")
    assert "take_job" in part
    assert "A queue of jobs" not in part


def test_a_long_range_is_cut_where_it_was_not_asked_for_whole(desk: Desk, shop: Path) -> None:
    assert seen(desk, "project", "trust").startswith(str(shop))
    told = seen(desk, "project", "search", "LINE_3 LINE_4 long.py")
    assert "long.py" in told
    assert "more lines" in told


def test_of_a_long_range_the_named_line_is_shown(desk: Desk, shop: Path) -> None:
    whole = "".join(f"LINE_{at} = 'take_job {at}'\n" for at in range(40)) + "\n\ndef give_back():\n    pass\n"
    (shop / "long.py").write_text(whole + "# take_job\n" * 20, encoding="utf-8")
    assert seen(desk, "project", "trust").startswith(str(shop))
    told = seen(desk, "project", "search", "long.py:31 take_job")
    assert "      31  LINE_30 = " in told
    assert "      20  LINE_19 = " not in told
    told = seen(desk, "project", "search", "where give_back ends in take_job")
    assert "      43  def give_back():" in told
    found = desk.run("project", "search", "long.py:31 take_job", "--json")
    assert '"lines": [\n    31\n   ]' in found.out


def test_the_extension_comes_and_goes(desk: Desk, shop: Path) -> None:
    del shop
    assert "Backstory is in Pi now" in seen(desk, "pi", "install")
    assert "Everything is up to date." in seen(desk, "pi", "install")
    told = seen(desk, "pi", "status")
    assert "current" in told
    assert "absent" in told
    assert "tools for the model: " in seen(desk, "pi", "install", "--folder", str(desk.home / "package"))
    assert "The package is gone" in seen(desk, "pi", "uninstall", "--folder", str(desk.home / "package"))
    assert "Backstory is out of Pi" in seen(desk, "pi", "uninstall")
    assert "Nothing of Backstory is installed there." in seen(desk, "pi", "uninstall")


def test_a_preview_begins_where_the_request_is_answered(desk: Desk, shop: Path) -> None:
    body = "".join(f"    def step_{at}(self) -> None: ...\n" for at in range(30))
    answer = "    def release_lease(self) -> None:\n        self.lease = None  # " + "x" * 120 + "\n"
    (shop / "worker.py").write_text(f"class Worker:\n{body}{answer}{body}", encoding="utf-8")
    told = seen(desk, "project", "search", "--trust-once", "release the lease").splitlines()
    numbered = [line for line in told if line[:8].strip().isdigit()]
    assert int(numbered[0].split()[0]) > 20, told
    assert any("release_lease" in line for line in numbered)
    assert any(line.endswith("x" * 120) for line in numbered)
    shown = desk.terminal("project", "search", "--trust-once", "release the lease", columns=90).splitlines()
    assert all(len(line) <= 90 for line in shown)
    assert any(line.endswith("x…") for line in shown)


def test_a_name_with_an_end_of_line_stays_on_its_line(desk: Desk, shop: Path) -> None:
    (shop / "two\nM python 1 kB  forged.py").write_text("def frozen_ledger(): ...\n", encoding="utf-8")
    for words in (("files",), ("search", "frozen_ledger"), ("symbols", "frozen_ledger")):
        told = seen(desk, "project", *words, "--trust-once").splitlines()
        assert any("two\\nM python" in line for line in told), told
        assert not any(line.startswith("M python 1 kB") for line in told)


def test_of_two_places_with_as_many_words_the_declaration_is_shown(desk: Desk, shop: Path) -> None:
    filler = "".join(f"    step_{at}()\n" for at in range(20))
    body = (
        f"class Depot:\n    def claim(self, job):\n        pass\n\n{filler}" + "    job = reclaimed(job) or job\n" * 15
    )
    (shop / "queue.py").write_text(body, encoding="utf-8")
    assert seen(desk, "project", "trust").startswith(str(shop))
    told = seen(desk, "project", "search", "where does a job claim")
    assert "       2      def claim(self, job):" in told
