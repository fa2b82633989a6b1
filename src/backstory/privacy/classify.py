"""How private a text says it is: marker tags, the levels they name, and the floor that broken tags raise.

`[ds4:LEVEL]` … `[/ds4:LEVEL]` marks a span; an opening tag at the very start without any closed span marks everything
after it; a backslash before the bracket makes a tag plain text. Tags that nest, do not match or never close cannot be
trusted to say where a span ends, so they raise the whole text. What may go where is for `privacy.policy` to say.
"""

import re
from collections.abc import Iterable

from backstory.records.base import Record
from backstory.records.privacy import LEVELS

_RANK = {level: rank for rank, level in enumerate(LEVELS)}
_NAMES = "|".join(LEVELS)
# Of ASCII alone: where case does not count, letters of other alphabets are read as these, and such a word is no level.
_FLAGS = re.IGNORECASE | re.ASCII
_TAG = re.compile(rf"(?<!\\)\[(?P<close>/?)ds4:(?P<level>{_NAMES})\]", _FLAGS)
_SPAN = re.compile(rf"(?<!\\)\[ds4:(?P<level>{_NAMES})\](?P<text>.*?)(?<!\\)\[/ds4:(?P=level)\]", _FLAGS | re.DOTALL)


class Segment(Record, frozen=True):
    """A stretch of text without its tags, and its level."""

    text: str
    level: str


class ClassifiedText(Record, frozen=True):
    """A text in segments. `floor` is what broken tags raise the text, and all text around it, to."""

    segments: tuple[Segment, ...]
    floor: str = "normal"

    @property
    def level(self) -> str:
        """The highest level of any segment."""
        return highest(segment.level for segment in self.segments)


def highest(levels: Iterable[str]) -> str:
    """The strictest of some levels; normal for none."""
    return max(levels, key=_RANK.__getitem__, default="normal")


def floor(texts: Iterable[str]) -> str:
    """The highest level that broken tags in any of some texts raise all of them to."""
    return highest([read(text).floor for text in texts if marked(text)])


def marked(text: str) -> bool:
    """Whether a text may hold tags: false is certain, true is a reason to read it."""
    return "s4:" in text or "S4:" in text


def level(text: str, base: str = "normal") -> str:
    """The highest level that anything in a text claims, its broken tags included; at least `base`."""
    if not marked(text):
        return base
    found = read(text, base)
    return highest((base, found.level, found.floor))


def read(text: str, base: str = "normal") -> ClassifiedText:
    """Split a text at its tags. Every segment has at least the level `base`; tags can only raise it."""
    if not marked(text):
        return ClassifiedText((Segment(text, base),))
    tags = list(_TAG.finditer(text))
    if not tags:
        return ClassifiedText((Segment(text, base),))
    if len(tags) == 1 and not tags[0]["close"] and not text[: tags[0].start()].strip():
        return ClassifiedText((Segment(strip(text), highest((base, tags[0]["level"].lower()))),))
    spans = list(_SPAN.finditer(text))
    # A tag that closes nothing may part two that a span joins again, with others between them.
    inside = [tag["level"].lower() for span in spans for tag in _TAG.finditer(text, *span.span("text"))]
    floor = highest((_floor(tags), *inside))
    return ClassifiedText(tuple(_segments(text, spans, highest((base, floor)))), floor)


def strip(text: str) -> str:
    """A text without its tags: they are control data and never part of what is shown.

    Also without tags that only come about once others are gone.
    """
    while marked(text):
        text, gone = _TAG.subn("", text)
        if not gone:
            break
    return text


def _segments(text: str, spans: Iterable[re.Match[str]], base: str) -> Iterable[Segment]:
    """Closed spans at their own level, what lies between them at the base."""
    end = 0
    for span in spans:
        if outside := strip(text[end : span.start()]):
            yield Segment(outside, base)
        yield Segment(strip(span["text"]), highest((base, span["level"].lower())))
        end = span.end()
    if outside := strip(text[end:]):
        yield Segment(outside, base)


def _floor(tags: list[re.Match[str]]) -> str:
    """The highest level named by a tag that nests, closes nothing, closes another level or stays open."""
    broken: list[str] = []
    opened: list[str] = []
    for tag in tags:
        level = tag["level"].lower()
        if not tag["close"]:
            if opened:
                broken += (*opened, level)
            opened.append(level)
        elif opened and opened[-1] == level:
            opened.pop()
        else:
            broken += (*opened, level)
            opened = opened[:-1]
    return highest([*broken, *opened])
