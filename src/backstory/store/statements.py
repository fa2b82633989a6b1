"""Loads named SQL statements from the `.sql` file beside a store module.

A block starts with a line `-- name: some_name`; what follows, up to the next such line, is its text.
"""

import os
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from types import SimpleNamespace

import msgspec

# Next to this module; `importlib.resources` would add 10 ms to every start.
FOLDER = os.path.dirname(__file__)
# Row ids of live entries start here, above all that a file will ever hold.
FIRST_LIVE = 1 << 40


def array(values: Iterable[object]) -> str:
    """Values as the JSON text that `json_each` takes apart: how a statement gets a list."""
    return msgspec.json.encode(list(values)).decode()


def split(joined: str | None) -> tuple[str, ...]:
    """The values of a column that holds several, a line each; none of NULL and of an empty text."""
    return tuple(joined.split("\n")) if joined else ()


@cache
def load(name: str) -> SimpleNamespace:
    """The statements of `store/<name>.sql` as attributes; AttributeError for a name that the file lacks."""
    with open(os.path.join(FOLDER, f"{name}.sql"), encoding="utf-8") as file:
        text = file.read()
    blocks = text.split("-- name: ")[1:]
    pairs = (block.split("\n", 1) for block in blocks)
    return SimpleNamespace(**{title.strip(): body.strip() for title, body in pairs})


def past(beginning: str) -> str:
    """What stands behind every text that begins so, in the order of SQLite."""
    return beginning + "\U0010ffff"


@lru_cache(maxsize=1_000)
def live(sql: str) -> str:
    """The same statement over the live tables (see `store.live`): every stored table's name with `live_` before it.

    In our statements an index goes by the alias `f`, through which its own name is a column.
    """
    return _stored().sub(lambda found: f"live_{found.group(0)}", sql)


@cache
def _stored() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w.:])(sessions|entries|texts|literal|words|passages|passage_spans|literal_terms|word_terms|passage_terms"
        r"|literal_places|literal_data|words_data|passages_data)\b|(?<=\bf\.)(literal|words|passages)\b"
    )
