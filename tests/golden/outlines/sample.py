"""A module.

def not_me(): pass
"""

import os
from typing import Any

LIMIT: int = 3
small = 1


class Reader(object):
    """Reads.

    class NotMe: pass
    """

    size = 4

    async def read(
        self,
        path: str,
    ) -> Any:
        text = 'def nor_me(): pass'
        return os.path.join(path, text)

    @property
    def name(self): return "x"


if LIMIT:

    def fallback(x):
        def inner():
            return x

        return inner
