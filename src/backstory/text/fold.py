"""What the tokenizer must be given so that it finds CJK text: one token per ideograph, kana or syllable.

`unicode61` takes a run of CJK letters for one word. Spaces around each letter make every letter a token, in documents
and queries alike, so that any run inside a text is found as a phrase, glued to Latin letters or not.
"""

import re
from functools import cache

# Kana, bopomofo, hangul and ideographs, as ranges of a character class.
_CJK = (
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)

# The first bytes that UTF-8 gives to letters of these ranges, to tell in two fast passes that a text has none.
_LEADS = bytes(1 if lead in {0xEF, 0xF0} or 0xE3 <= lead <= 0xED else 0 for lead in range(256))
_MARKS = {0xFDD0: " ", 0xFDD1: " "}


def spaced(text: str) -> str:
    """`text` with a space on both sides of each CJK letter; the same object when it is ASCII.

    Two noncharacters, which `unicode61` takes for letters and programs use as marks, become spaces.
    """
    if text.isascii() or 1 not in text.encode("utf-8", "replace").translate(_LEADS):
        return text
    return _letters().sub(r" \1 ", text.translate(_MARKS))


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(f"([{_CJK}])")
