"""Finds whole records in a line that is none: several glued together, or some behind a torn one.

What a record means is for the source's parser to say. After it: `reading`.
"""

import json

from backstory.sources.decode import number

# How many times its own length may be looked at to find whole records in a damaged line.
PATIENCE = 4
LEAST = 64 << 10
DECODER = json.JSONDecoder(strict=False, parse_int=number)


def whole_records(raw: bytes) -> tuple[list[tuple[int, bytes]], bool]:
    """Whole records inside a damaged line as (byte offset, bytes), and whether they are all there is.

    Records glued to the start are taken as they come; behind a torn one, only a place from where whole records reach
    the end of the line counts, so that an object nested in the torn record is never mistaken for a record.
    """
    text = raw.decode("latin-1")
    found, at, _ = _chain(text, 0)
    whole = at == len(text)
    patience = PATIENCE * len(text) + LEAST
    while not whole and patience > 0 and (at := text.find('{"', at + 1)) >= 0:
        rest, end, failed = _chain(text, at)
        if rest and end == len(text):
            found += rest
            break
        # A failure also counts the line feeds before it, which costs about a thirtieth of decoding.
        patience -= failed - at + failed // 32 + 1
    return [(start, raw[start:end]) for start, end in found], whole


def _chain(text: str, at: int) -> tuple[list[tuple[int, int]], int, int]:
    """Whole records one after the other, where they end, and how far was looked."""
    found: list[tuple[int, int]] = []
    looked = at
    while at < len(text) and text[at] == "{":
        try:
            _, end = DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            looked = max(error.pos, at)
            break
        except RecursionError:
            looked = len(text)
            break
        found.append((at, end))
        at = end
        while at < len(text) and text[at] in " \t\r\0":
            at += 1
    return found, at, max(looked, at)
