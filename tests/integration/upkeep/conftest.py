"""A machine whose one session is indexed, as most tests of keeping the index want it."""

import pytest

from tests.fakes.database import ASKED
from tests.fakes.desk import Desk


@pytest.fixture
def used(desk: Desk) -> Desk:
    """A machine whose one session is indexed."""
    desk.pi("p1", ASKED)
    desk.ask("index")
    return desk
