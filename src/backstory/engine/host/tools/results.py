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


def marked(text: str, level: str) -> str:
    """A text that says how private it is: it stays in the session, and another model may be chosen later."""
    return text if level == "normal" else f"[ds4:{level}]\n{text}"


def history(text: str, level: str = "normal", **facts: Any) -> Say:
    """The answer of a history tool; `level` is the highest of what it quotes."""
    return Say(marked(text, level), "info", {"schema": HISTORY, "quotedData": True, **facts})


def unavailable(schema: str, code: str, text: str) -> Say:
    """The answer of a tool that has nothing to give."""
    return Say(text, "error", {"schema": schema, "status": "unavailable", "errorCode": code})


def cost(text: str) -> int:
    """Tokens that a text takes in a call."""
    return CHARS.count(text)
