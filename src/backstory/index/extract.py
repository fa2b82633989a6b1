"""Turns an entry into what is stored and indexed of it: secrets redacted, name parts added, the right index chosen.

When any rule here changes, `index.version` has to grow.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from backstory.privacy.secrets import clean, named, redact, suspect
from backstory.records.session import Draft, Entry, Facts, Kind
from backstory.store.entries import PreparedEntry
from backstory.text.parts import searchable

UNSAID = frozenset({Kind.TOOL_RESULT, Kind.BOOT, Kind.SYSTEM})
# What passages are made of; `said_from` in store/entries.sql names the same.
CONVERSATION = frozenset({Kind.PROMPT, Kind.MESSAGE, Kind.SUMMARY})
# How far into a call, and into what nobody said, names are taken apart, in bytes: of long ones, files above all, only
# the beginning.
CALLED = 2 << 10
NAMED = 512
# From so many entries on, the gate for many texts is worth its making.
_MANY = 64


def extract(entries: Sequence[Entry], surfaces: Sequence[str]) -> list[PreparedEntry]:
    """Entries ready to store."""
    many = len(entries) >= _MANY
    return [
        _indexed(entry, surface, many=many) if _says(entry) else PreparedEntry(entry, surface)
        for entry, surface in zip(entries, surfaces, strict=True)
    ]


def conversation(new: Sequence[PreparedEntry]) -> list[tuple[int, int, bytes]]:
    """(seq, characters, what the stemmed indexes see) of what people and agents said, in order."""
    return sorted(
        (item.entry.seq, len(item.entry.draft.text), item.words)
        for item in new
        if item.words and item.entry.draft.kind in CONVERSATION
    )


def words(text: str) -> bytes:
    """What the stemmed indexes see of what was said, in UTF-8."""
    return _words(*searchable(text.encode("utf-8", "replace")))


def columns(kind: str, raw: bytes) -> tuple[bytes | None, bytes | None, bytes | None, bytes | None]:
    """What the indexes see of a text in UTF-8: `said`, `result` and `parts` of one, and what the stemmed one does."""
    if kind in UNSAID:
        folded, parts = searchable(raw, most=NAMED)
        return None, folded, parts or None, None
    folded, parts = searchable(raw, most=CALLED if kind == Kind.TOOL_CALL else None)
    return folded, None, None, _words(folded, parts)


def _words(folded: bytes, parts: bytes) -> bytes:
    return b"%b\n%b" % (folded, parts) if parts else folded


def known(facts: Facts) -> Facts:
    """What is known of a session, without secrets in any field.

    What a parser needs to go on passes through JSON, as it does in the store. Where JSON escapes anything, it hides
    where a word begins, as what stands for a line break ends in a letter; then the fields themselves are looked at.
    """
    raw = msgspec.json.encode(facts).decode()
    if "\\" not in raw and not suspect(raw):
        return facts
    plain = msgspec.to_builtins(facts)
    cleaned = _cleaned(plain)
    return facts if cleaned == plain else msgspec.convert(cleaned, Facts)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return value


def storable(entry: Entry, *, many: bool = False, raw: bytes | None = None) -> Entry:
    """The entry without secrets, and without the NULs at which SQLite's functions stop reading.

    `many` says that it is one of many, `raw` is its text in UTF-8.
    """
    draft = entry.draft
    text = draft.text
    # Half of all text has a letter beyond Latin, and is searched faster as bytes.
    if 0 in raw if raw is not None else "\0" in text:
        text = text.replace("\0", "\ufffd")
        draft, raw = msgspec.structs.replace(draft, text=text), None
    if (
        (text and suspect(text, many=many, raw=raw))
        or any(named(path) != path for path in draft.paths)
        or named(draft.tool) != draft.tool
    ):
        paths = tuple(redact(path)[0] for path in draft.paths)
        draft = msgspec.structs.replace(draft, text=redact(text)[0], paths=paths, tool=clean(draft.tool))
    return entry if draft is entry.draft else msgspec.structs.replace(entry, draft=draft)


def tool(draft: Draft) -> str | None:
    """The name of an entry's tool, without secrets."""
    return named(draft.tool)


def _says(entry: Entry) -> bool:
    """Whether an entry has anything that could be searched, or be a secret."""
    draft = entry.draft
    return bool(draft.text or draft.paths or draft.tool)


def _indexed(entry: Entry, surface: str, *, many: bool) -> PreparedEntry:
    raw = entry.draft.text.encode("utf-8", "replace")
    stored = storable(entry, many=many, raw=raw)
    if stored is not entry:
        raw = stored.draft.text.encode("utf-8", "replace")
    if not raw:
        return PreparedEntry(stored, surface)
    return PreparedEntry(stored, surface, raw, *columns(stored.draft.kind, raw))
