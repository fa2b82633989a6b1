"""An object that is kept again while it is being collected is there afterwards."""

import os
from pathlib import Path

import pytest

from backstory.errors import ReadOnlyDatabaseError
from backstory.store import objects as kept
from backstory.store.objects import Objects

LONG_AGO, NOW = 1_000.0, 2_000.0


@pytest.mark.parametrize("at", [1, 2, 3])
def test_what_is_kept_while_it_is_collected_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    objects = Objects(str(tmp_path))
    digest = objects.put(b"a result")
    os.utime(objects.path(digest), (LONG_AGO, LONG_AGO))
    looked, look = 0, kept.older

    def keeping(path: Path, time: float) -> bool:
        nonlocal looked
        looked += 1
        if looked == at == 2:  # it was moved aside
            assert objects.put(b"a result") == digest
        found = look(path, time)
        if looked == at == 1:  # it is about to be moved aside
            assert objects.put(b"a result") == digest
        if looked == 2 and at == 3:  # it is about to be removed
            assert objects.put(b"a result") == digest
        return found

    monkeypatch.setattr(kept, "older", keeping)
    objects.collect(frozenset(), NOW)
    assert objects.get(digest) == b"a result"
    assert [one.name for one in objects.path(digest).parent.iterdir()] == [digest]


def test_what_cannot_be_removed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = Objects(str(tmp_path))
    digest = objects.put(b"a result")
    os.utime(objects.path(digest), (LONG_AGO, LONG_AGO))

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(ReadOnlyDatabaseError, match=f"{digest}: Permission denied"):
        objects.collect(frozenset(), NOW)
    assert objects.get(digest) == b"a result"


def test_what_nobody_keeps_goes(tmp_path: Path) -> None:
    objects = Objects(str(tmp_path))
    old, wanted, young = (objects.put(data) for data in (b"old", b"wanted", b"young"))
    for digest in (old, wanted):
        os.utime(objects.path(digest), (LONG_AGO, LONG_AGO))
    assert objects.collect({wanted}, NOW) == 1
    assert list(objects.digests()) == sorted((wanted, young))
    assert list(objects.path(old).parent.iterdir()) == []
