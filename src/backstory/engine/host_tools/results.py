"""What tools answer: a bounded text for the model, and facts for programs that never hold quoted content."""

from typing import Any

from backstory.records.host import Say
from backstory.text.tokens import CHARS

HISTORY = "backstory-history-v1"
ARTIFACT = "backstory-artifact-search-v1"


class Unavailable(Exception):  # noqa: N818 - an answer, not a failure
    """A tool has nothing to give, and why: a stable code, and a sentence for the model."""

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        super().__init__(text)


def history(text: str, **facts: Any) -> Say:
    """The answer of a history tool."""
    return Say(text, "info", {"schema": HISTORY, "quotedData": True, **facts})


def unavailable(schema: str, code: str, text: str) -> Say:
    """The answer of a tool that has nothing to give."""
    return Say(text, "error", {"schema": schema, "status": "unavailable", "errorCode": code})


def cost(text: str) -> int:
    """Tokens that a text takes in a call."""
    return CHARS.count(text)
