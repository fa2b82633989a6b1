"""What a search shows is what the files hold now: what changed since is indexed again, left out, or shown redacted."""

import os

import pytest

from backstory.engine.project import browse
from backstory.engine.project import search as project_search
from backstory.errors import (
    BackstoryError,
)
from backstory.index import project_named
from backstory.index.project_job import LEASE
from backstory.store.project import contents, lease
from backstory.store.project.database import ProjectStore
from tests.fakes.project_tree import Tree, module


def test_a_changed_file_is_indexed_again_and_the_search_rerun(tree: Tree) -> None:
    tree.write(
        "src/cursor.py", module("validate_cursor", "pages cursor validation") + "\n\ndef added_later():\n    pass\n"
    )
    found = tree.search("validate the cursor of a page")
    item = next(item for item in found.items if item.path == "src/cursor.py")
    assert "added_later" in item.text
    assert item.modified


def test_changed_files_that_come_up_in_place_of_others_are_indexed_again_too(tree: Tree) -> None:
    for path in ("src/cursor.py", "tests/test_cursor.py", "docs/cursor.md"):
        tree.write(path, "nothing of the kind\n")
    tree.write("src/pages.py", module("next_page", "validation cursor"))
    found = tree.search("validate_cursor", limit=1)
    assert (found.status, found.warnings) == (tree.search("validate_cursor", limit=1).status, ())
    again = tree.search("cursor validation", limit=1)
    assert [item.path for item in again.items] == ["src/pages.py"]


def test_a_change_that_keeps_size_and_time_is_seen(tree: Tree) -> None:
    place = tree.root / "src/cursor.py"
    stat = place.stat()
    old = place.read_text(encoding="utf-8")
    new = old.replace("return value", "return eulav")
    place.write_text(new, encoding="utf-8")
    os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    found = tree.search("validate the cursor of a page")
    item = next(item for item in found.items if item.path == "src/cursor.py")
    assert "eulav" in item.text


@pytest.mark.parametrize("kind", ["deleted", "binary", "secret", "link", "huge", "folder"])
def test_what_may_not_be_shown_any_more_drops_out(tree: Tree, kind: str) -> None:
    place = tree.root / "src/cursor.py"
    before = place.read_bytes()
    assert "src/cursor.py" in tree.paths()
    place.unlink()
    if kind == "binary":
        place.write_bytes(before + b"\0" * 20)
    elif kind == "secret":
        place.write_bytes(before + b'\nKEY = "AKIAQYLPMN5HHHFPZAM2"\n')
    elif kind == "link":
        place.symlink_to(tree.root / "src/pages.py")
    elif kind == "huge":
        place.write_bytes(before + b"x" * 600_000)
    elif kind == "folder":
        place.mkdir()
    found = tree.search("validate the cursor of a page `validate_cursor`")
    assert "src/cursor.py" not in {file.path for file in found.files} | {item.path for item in found.items}
    assert "src/cursor.py" not in tree.paths()


def test_a_file_with_a_password_in_an_address_is_shown_without_it(tree: Tree) -> None:
    address = "https://jo:" + "hunter2xyz" + "@host.internal/a"
    tree.write("src/address.py", f'"""Reads quuxes, say from {address}."""\n\n\ndef read_quux():\n    return 1\n')
    tree.index()
    found = tree.search("read the quuxes of an address")
    shown = next(item for item in found.items if item.path == "src/address.py")
    assert "https://jo:[redacted:url]@host.internal/a" in shown.text
    quoted, _ = project_search.evidence(tree.project, "read the quuxes of an address")
    assert any(one.path == "src/address.py" for one in quoted)
    assert not any("hunter2xyz" in str(one) for one in quoted)
    (whole,) = browse.show(tree.project, "src/address.py")
    assert "hunter2xyz" not in whole.text
    with ProjectStore(str(tree.project.database)) as store:
        assert store.rows("SELECT rowid FROM file_fts WHERE file_fts MATCH 'hunter2xyz'") == []


def test_a_file_with_a_header_of_a_request_is_shown_without_what_it_carries(tree: Tree) -> None:
    carried = "dXNlcjpodW50" + "ZXIyMTIz"
    # Without declarations the second range begins with line 69, and what makes a credential of it stands above.
    lines = [f"filler {line}" for line in range(1, 201)]
    lines[67:69], lines[99] = ["author" + "ization:", f"  Basic {carried}"], "quuxes of the wombat"
    tree.write("src/header.py", "\n".join(lines))
    tree.index()
    found = tree.search("quuxes of the wombat", budget=400)
    assert [(item.path, item.start_line) for item in found.items] == [("src/header.py", 69)]
    assert found.items[0].text.startswith("  Basic [redacted:header]\nfiller 70")
    quoted, _ = project_search.evidence(tree.project, "quuxes of the wombat", budget=400)
    shown = [str(one) for one in quoted] + [item.text for item in browse.show(tree.project, "src/header.py")]
    assert len(shown) == 2
    assert not any(carried in text for text in shown)
    with ProjectStore(str(tree.project.database)) as store:
        assert store.rows("SELECT rowid FROM file_fts WHERE file_fts MATCH ?", (carried,)) == []


def test_a_file_with_a_mark_of_its_encoding_and_a_broken_letter_is_shown_as_text(tree: Tree) -> None:
    tree.write(
        "src/broken.py", b'\xef\xbb\xbf"""Speaks of quuxes, na\xc3\xafvely."""\n\n# na\xc3\ndef quux():\n    return 1\n'
    )
    tree.index()
    item = next(item for item in tree.search("naïvely speak of quuxes").items if item.path == "src/broken.py")
    assert item.text.splitlines()[:3] == ['"""Speaks of quuxes, naïvely."""', "", "# na\ufffd"]


def test_while_somebody_else_indexes_changed_files_are_left_out(tree: Tree) -> None:
    tree.write("src/cursor.py", module("validate_cursor", "pages cursor validation again"))
    with ProjectStore(str(tree.project.database)) as store:
        assert lease.acquire(store, LEASE, "other", tree.time)
        found = tree.search("validate the cursor of a page")
        assert "src/cursor.py" not in {file.path for file in found.files}
        assert any("another process" in warning for warning in found.warnings)
        assert contents.counts(store).stale == 1
    tree.time += lease.INDEX_LEASE_MS + 1
    tree.index()
    assert tree.search("validate the cursor of a page").files[0].path == "src/cursor.py"


def test_an_unwritable_index_still_answers_with_what_is_unchanged(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write("src/cursor.py", module("validate_cursor", "pages cursor validation again"))

    def refuse(*_: object, **__: object) -> dict[str, str]:
        raise BackstoryError("read only")

    monkeypatch.setattr(project_named, "refresh", refuse)
    found = tree.search("validate the cursor of a page")
    assert found.files
    assert "src/cursor.py" not in {file.path for file in found.files}
    assert any("could not be indexed" in warning for warning in found.warnings)
