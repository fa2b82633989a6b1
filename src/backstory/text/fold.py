"""What the tokenizer must be given so that it finds CJK text: one token per ideograph, kana or syllable.

`unicode61` takes a run of CJK letters for one word. Spaces around each letter make every letter a token, in documents
and queries alike, so that any run inside a text is found as a phrase, glued to Latin letters or not.
"""

import re
from functools import cache

# Radicals, kana, bopomofo, hangul and ideographs, as ranges of a character class.
_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)

_MARKS = {0xFDD0: " ", 0xFDD1: " "}


def spaced(text: str) -> str:
    """`text` with a space on both sides of each CJK letter; the same object when it is ASCII.

    Two noncharacters, which `unicode61` takes for letters and programs use as marks, become spaces.
    """
    return text if text.isascii() else _letters().sub(r" \1 ", text.translate(_MARKS))


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(f"([{_CJK}])")
