"""A pool lends few connections, opens others where a file was replaced, and closes all that it lent, soon or late."""

import shutil
from pathlib import Path

import pytest

from backstory.errors import DatabaseError, UsageError
from backstory.store import browse
from backstory.store.cancel import NEVER
from backstory.store.connection import mapped
from backstory.store.history import History, open_history
from backstory.store.pool import Pool


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "derived" / "history.db")


def closed(history: History) -> bool:
    try:
        with mapped(history.path):
            browse.sessions(history)
    except DatabaseError:
        return True
    return False


def test_a_connection_that_is_lent_is_closed_when_it_comes_back_to_a_closed_pool(path: str) -> None:
    pool = Pool(path, 2)
    with pool.use(NEVER) as idle:
        pass
    with pool.use(NEVER) as lent, pool.use(NEVER) as other:
        assert {idle} < {lent, other}
        pool.close()
        assert not closed(lent)
        with pytest.raises(UsageError, match="closed"), pool.use(NEVER):
            pass
    assert closed(lent)
    assert closed(other)


def test_idle_connections_are_closed_at_once(path: str) -> None:
    pool = Pool(path, 2)
    with pool.use(NEVER) as history:
        pass
    assert not closed(history)
    pool.close()
    assert closed(history)


def test_the_shared_connection_is_left_to_whoever_shares_it() -> None:
    history = open_history(":memory:")
    pool = Pool(":memory:", 8, lambda: history)
    with pool.use(NEVER) as lent:
        assert lent is history
        pool.close()
    assert not closed(history)
    history.close()


def test_of_a_file_that_was_replaced_no_connection_is_lent(path: str, tmp_path: Path) -> None:
    pool = Pool(path, 1)
    with pool.use(NEVER) as before:
        pass
    shutil.move(str(Path(path).parent), str(tmp_path / "away"))
    open_history(path).close()
    with pool.use(NEVER) as now:
        assert now is not before
    with pool.use(NEVER) as again:
        assert again is now
    assert closed(before)
    pool.close()
