"""What the tokenizer must be given so that it finds CJK text: one token per ideograph, kana or syllable.

`unicode61` takes a run of CJK letters for one word. Spaces around each letter make every letter a token, in documents
and queries alike, so that any run inside a text is found as a phrase, glued to Latin letters or not. A letter whose
parts stand apart, as some file systems write it, is put together first.
"""

import re
import unicodedata
from functools import cache

# Kana, bopomofo, hangul and ideographs, as ranges of a character class.
_CJK = (
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)

# The first bytes that UTF-8 gives to letters of these ranges, and to parts of syllables, so that two fast passes tell
# that a text has none.
LEADS = frozenset({0xE1, *range(0xE3, 0xEE), 0xEF, 0xF0})
_TABLE = bytes(1 if code in LEADS else 0 for code in range(256))
_SPACES = {"\ufdd0": " ", "\ufdd1": " "}


def spaced(text: str) -> str:
    """`text` with a space on both sides of each CJK letter; the same object when it is ASCII.

    Two noncharacters, which `unicode61` takes for letters and programs use as marks, become spaces.
    """
    if text.isascii() or 1 not in text.encode("utf-8", "replace").translate(_TABLE):
        return text
    return apart(text)


def apart(text: str) -> str:
    """The same for a text that may hold such letters."""
    for mark, space in _SPACES.items():
        text = text.replace(mark, space)
    if _marks().search(text):
        text = _parted().sub(_whole, text)
    return _letters().sub(r" \1 ", text)


def _whole(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", found[0])


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(f"([{_CJK}])")


@cache
def _marks() -> re.Pattern[str]:
    """Parts of Korean syllables, and voicing marks of kana, as signs of their own."""
    return re.compile("[\u1100-\u11ff\u3099\u309a]")


@cache
def _parted() -> re.Pattern[str]:
    """Letters with such parts. They alone are put together, so that they change no other word of the text."""
    return re.compile("[\uac00-\ud7a3]?[\u1100-\u11ff]+|[\u3040-\u30ff][\u3099\u309a]")
