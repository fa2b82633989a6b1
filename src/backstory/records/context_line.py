"""A `/context` command as it is typed on the command line."""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record

_LINE = Help(
    description="COMMAND SESSION and what the command takes; help lists the commands", extra={"positional": True}
)


class ContextLine(Record, frozen=True, kw_only=True):
    """Answer a /context command about a session, as it is answered inside an agent.

    COMMAND comes first and SESSION right behind it, also where COMMAND has two words. Options of the command itself
    (such as --scope) are given behind them.
    """

    line: Annotated[tuple[str, ...], _LINE] = ()
    model: Annotated[str | None, Help(description="the model to answer for, as PROVIDER/ID")] = None
    window: Annotated[int | None, Help(description="its context window in tokens")] = None
