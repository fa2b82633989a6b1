"""The rules for proposing a memory or pin: how texts and keys are normalised, what repeats, and what contradicts.

Nothing is taken out of a conversation here: a person proposes a claim, and these rules say whether it is new, known
already, or in conflict with others, in which case it has to supersede one of them by name.
"""

import re
from collections.abc import Iterable

from backstory.errors import UsageError
from backstory.records.memory import Kept

LONGEST_CLAIM, LONGEST_PIN, LONGEST_KEY, LONGEST_REASON = 2_000, 4_000, 160, 500
_SUBJECT = r"(?P<subject>\S.{0,158}?\S)"
_DERIVED = (
    re.compile(_SUBJECT + r"\s+defaults?\s+to\s+\S", re.IGNORECASE),
    re.compile(_SUBJECT + r"\s+(?:is|are|must\s+be|should\s+be)\s+\S", re.IGNORECASE),
    re.compile(_SUBJECT + r"\s*[:=]\s*\S"),
)
_NEGATIVE = frozenset(("not", "never", "no", "false", "disabled", "disable", "off", "forbidden"))
_POSITIVE = frozenset(("true", "enabled", "enable", "on", "required", "must"))
_BASELESS = (_NEGATIVE | _POSITIVE) - {"must"}


def normal_text(text: str, longest: int) -> str:
    """A claim or content with blanks collapsed.

    Raises:
        UsageError: nothing is left, or more than `longest` characters.
    """
    text = " ".join(text.split())
    if not text:
        raise UsageError("there is nothing to keep")
    if len(text) > longest:
        raise UsageError(f"{len(text)} characters are more than {longest}")
    return text


def normal_key(key: str) -> str:
    """A key as it is compared: lower case, runs of anything but letters, digits and `._/-` become `-`."""
    lowered = " ".join(key.split()).lower()
    parts = "".join(char if char.isalnum() or char in "._/-" else " " for char in lowered).split()
    return "-".join(parts).strip("-")[:LONGEST_KEY]


def derived_key(claim: str) -> str | None:
    """The key a claim suggests by its form ("X is …", "X defaults to …", "X: …"), None when it has none of these."""
    for pattern in _DERIVED:
        found = pattern.match(claim)
        if found:
            return normal_key(found["subject"]) or None
    return None


def polarity(claim: str) -> int:
    """-1 for a claim that denies, 1 for one that affirms, 0 for neither; denial is looked for first."""
    words = set(re.findall(r"[^\W_]+", claim.lower()))
    return -1 if words & _NEGATIVE else 1 if words & _POSITIVE else 0


def base(claim: str) -> str:
    """A claim without the words that only affirm or deny, and without punctuation."""
    return " ".join(word for word in re.findall(r"[^\W_]+", claim.lower()) if word not in _BASELESS)


def repeated(text: str, existing: Iterable[Kept]) -> Kept | None:
    """An active item that says the same already."""
    wanted = text.lower()
    return next((item for item in existing if item.status == "active" and item.text.lower() == wanted), None)


def conflicts(claim: str, key: str | None, existing: Iterable[Kept]) -> list[Kept]:
    """Active memories with the same key, or that say the opposite about the same thing."""
    sign, rest = polarity(claim), base(claim)

    def opposite(item: Kept) -> bool:
        return sign != 0 and polarity(item.text) == -sign and base(item.text) == rest

    active = [item for item in existing if item.status == "active"]
    return [item for item in active if (key is not None and item.key == key) or opposite(item)]
