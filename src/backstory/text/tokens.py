"""Token estimates: four UTF-16 units a token, plus fixed costs for a message, a block and an image.

Nothing here knows a model's real tokenizer. An `Estimator` replaces the counter of plain text only and keeps the fixed
costs; calibration (`plan.calibrate`) learns the rest from a provider's own counts, apart for every estimator version.
"""

from collections.abc import Callable

from backstory.records.base import Record
from backstory.records.message import Image, Message, Text, Thinking, ToolCall, ToolResult
from backstory.text import canonical

UNITS_PER_TOKEN = 4
MESSAGE_TOKENS = 8
BLOCK_TOKENS = 4
IMAGE_TOKENS = 1_024
# A provider sees the role under the name its own format gives it; these are the names the estimate was tuned with.
_ROLES = {"tool": "toolResult"}


def units(text: str) -> int:
    """Length in UTF-16 code units: a character outside the basic plane counts twice."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def count(text: str) -> int:
    """Estimated tokens of plain text; 0 only for an empty one."""
    return -(-units(text) // UNITS_PER_TOKEN)


class Estimator(Record, frozen=True):
    """A counter for plain text and the version that its calibration samples are kept under."""

    version: str = "chars-v1"
    count: Callable[[str], int] = count

    def message(self, message: Message) -> int:
        """Estimated tokens of a message with its role, blocks and fixed costs."""
        role = _ROLES.get(message.role, message.role)
        return MESSAGE_TOKENS + self.count(role) + sum(map(self.block, message.blocks))

    def plain(self, role: str, text: str) -> int:
        """Estimated tokens of a message whose content is one plain string, as synthetic messages are."""
        return MESSAGE_TOKENS + self.count(_ROLES.get(role, role)) + self.count(text)

    def block(self, block: object) -> int:
        """Estimated tokens of one block; a tool result counts like text and the images in it."""
        if isinstance(block, Text | Thinking):
            return self.count(block.text) + BLOCK_TOKENS
        if isinstance(block, ToolCall):
            arguments = block.arguments
            written = arguments if isinstance(arguments, str) else canonical.compact(arguments)
            return self.count(block.name + written) + BLOCK_TOKENS
        if isinstance(block, Image):
            return IMAGE_TOKENS + BLOCK_TOKENS
        if isinstance(block, ToolResult):
            return self.count(block.content) + BLOCK_TOKENS + (block.images or 0) * (IMAGE_TOKENS + BLOCK_TOKENS)
        return BLOCK_TOKENS


CHARS = Estimator()
