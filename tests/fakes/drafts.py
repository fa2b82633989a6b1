"""Records given to a parser one by one, as a reader does it: what is no JSON of its own makes no draft."""

from collections.abc import Iterable, Iterator

import msgspec

from backstory.records.session import Draft
from backstory.sources.base import Parser


def parsed(parser: Parser, raws: Iterable[bytes]) -> Iterator[Draft]:
    """The drafts of all records that can be decoded."""
    for raw in raws:
        try:
            yield from parser.parse(raw) if raw.strip() else ()
        except msgspec.DecodeError:
            continue
