"""Goes on after a host carried out a step: the answer finds the work that waits for it, once.

A token is good for one answer, from the session that was asked, of the kind that was asked for, while it is fresh.
"""

from backstory.engine.open import Engine
from backstory.errors import BackstoryError
from backstory.records.host import Answer, Appended, Say, Step


def resume(engine: Engine, token: str, answer: Answer) -> Step:
    """The next step of what was asked under a token."""
    held = engine.pending.appends if isinstance(answer, Appended) else engine.pending.questions
    state, question = held.take(token, engine.now())
    if question is None:
        return _lost(state, answer)
    asked = f"{answer.call.source}:{answer.call.session}"
    if asked != question.session or not isinstance(answer, question.expects):
        return refused("foreign-answer", "This answer belongs to another session or question; nothing was done.")
    try:
        return question.then(answer)
    except BackstoryError as error:
        return refused(error.code, str(error))


def refused(code: str, text: str) -> Say:
    """The end of something that could not be done."""
    return Say(text, "error", {"errorCode": code})


def _lost(state: str, answer: Answer) -> Say:
    if isinstance(answer, Appended):
        return refused(
            "append-indeterminate",
            "Nobody waits for this answer any more. Look whether it was written before trying again.",
        )
    told = "waited too long for an answer" if state == "expired" else "is not open any more"
    return refused(f"{state}-question", f"The question {told}; nothing was written.")
