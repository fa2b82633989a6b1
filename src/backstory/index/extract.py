"""Turns an entry into what is stored and indexed of it: secrets redacted, name parts added, the right index chosen.

When any rule here changes, `index.version` has to grow.
"""

from collections.abc import Sequence

import msgspec

from backstory.privacy.secrets import redact, suspect
from backstory.records.session import Entry, Kind
from backstory.store.entries import NewEntry
from backstory.text.fold import spaced
from backstory.text.parts import camel_parts

UNSAID = frozenset({Kind.TOOL_RESULT, Kind.BOOT, Kind.SYSTEM})


def extract(entries: Sequence[Entry], surfaces: Sequence[str]) -> list[NewEntry]:
    """Entries ready to store."""
    return [_indexed(_redacted(entry), surface) for entry, surface in zip(entries, surfaces, strict=True)]


def words(text: str) -> str:
    """What the stemmed indexes see of a text."""
    parts = camel_parts(text)
    folded = spaced(text)
    return f"{folded}\n{parts}" if parts else folded


def clean(text: str | None) -> str | None:
    """A title or another short field without secrets."""
    return redact(text)[0] if text else text


def _redacted(entry: Entry) -> Entry:
    draft = entry.draft
    if not (suspect(draft.text) or any(map(suspect, draft.paths))):
        return entry
    text, _ = redact(draft.text)
    paths = tuple(redact(path)[0] for path in draft.paths)
    return msgspec.structs.replace(entry, draft=msgspec.structs.replace(draft, text=text, paths=paths))


def _indexed(entry: Entry, surface: str) -> NewEntry:
    draft = entry.draft
    text = draft.text
    if not text:
        return NewEntry(entry, surface, "", None, None)
    if draft.kind in UNSAID:
        return NewEntry(entry, surface, text, (None, spaced(text), camel_parts(text) or None), None)
    return NewEntry(entry, surface, text, (spaced(text), None, None), words(text))
