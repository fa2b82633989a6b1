"""The first interruption is a wish, the next one ends the command, and who handles them otherwise is left alone."""

import os
import signal
from collections.abc import Iterator

import pytest

from backstory.surfaces.cli.interrupts import patient


@pytest.fixture(autouse=True)
def _usual() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_one_is_a_wish_and_the_next_one_ends_it() -> None:
    with patient() as wished:
        assert not wished()
        interrupt()
        assert wished()
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_who_ignores_interruptions_goes_on_to_do_so() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with patient() as wished:
        interrupt()
        assert not wished()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
