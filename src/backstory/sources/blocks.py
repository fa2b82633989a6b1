"""What the content blocks of all agents have in common: a content is a text or a list of blocks, images are counted.

What a block means is for its adapter to say. Used by the adapters' `content` and `message` modules.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import msgspec

from backstory.records import message as canonical

T = TypeVar("T")

# What an image adds to the size of a message, in characters; no agent logs what a provider charges for it.
IMAGE_CHARS = 4800


class Part(Protocol):
    """A block as far as a tool result needs it."""

    type: str
    text: str


def converted(
    content: str | Sequence[T] | None, convert: Callable[[T], canonical.Block | None]
) -> tuple[canonical.Block, ...]:
    """The canonical blocks of a content; those that `convert` knows nothing of are left out."""
    if content is None or isinstance(content, str):
        return (canonical.Text(content),) if content else ()
    return tuple(block for given in content if (block := convert(given)) is not None)


def noted(content: str | Sequence[Part] | None) -> str:
    """The text of a content, each image in it as `[image]`."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join("[image]" if block.type == "image" else block.text for block in content)


def pictured(content: object) -> int | msgspec.UnsetType:
    """How many images are among the blocks of a content; unset where none is."""
    if not isinstance(content, list):
        return msgspec.UNSET
    return sum(block.type.endswith("image") for block in content) or msgspec.UNSET


def base64_length(data: msgspec.Raw) -> int:
    """The number of base64 characters in a JSON text that was not decoded; 0 when there is none."""
    return max(0, len(bytes(data)) - len('""'))
