"""Reads texts, calls and results out of Gemini message parts.

Used by `parse` and `message` next to this module.
"""

from collections.abc import Iterator

from backstory.sources import arguments
from backstory.sources.adapters.gemini.records import Part, Parts, Response, Run, Thought
from backstory.sources.blocks import IMAGE_CHARS


def pieces(parts: Parts) -> Iterator[Part]:
    """The parts one by one, bare texts wrapped."""
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, str):
            yield Part(text=part)
        elif part is not None:
            yield part


def texts(parts: Parts) -> list[str]:
    """What was written, thoughts left out."""
    return [part.text for part in pieces(parts) if part.text and not part.thought]


def size(parts: Parts) -> int:
    """Characters a model call carries for these parts."""
    return sum(
        len(part.text or "")
        + (IMAGE_CHARS if part.inline_data else 0)
        + (arguments.size(part.function_response.response) if part.function_response else 0)
        + (arguments.size(part.function_call.args) if part.function_call else 0)
        for part in pieces(parts)
    )


def response_text(answer: Response) -> str:
    """The strings in a tool's response."""
    return "\n".join(arguments.lines(answer.response))


def result_text(run: Run) -> str:
    """What a tool answered."""
    found = texts(run.result)
    found += [response_text(part.function_response) for part in pieces(run.result) if part.function_response]
    return "\n".join(found)


def thoughts_size(thoughts: list[Thought] | None) -> int:
    """Characters of the reasoning summaries."""
    return sum(len(thought.subject) + len(thought.description) for thought in thoughts or ())
