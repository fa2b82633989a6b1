"""Reads what a compaction says beside its text: files, and the provenance that another engine may have left there.

The shapes are shared with other programs, so they are checked strictly: provenance in which anything is missing or of
another type is none at all, and a version nobody knows is told and left alone. Keys nobody knows are tolerated. A text
is only measured here.
"""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from backstory.records.summary import Checked, Provenance, SummaryDetails, SummaryKind, SummaryPart

KEY = "ds4ContextEngine"
_VERSIONS = (1, 2)
_CONTRACT = 1
# Up to here every program that reads JSON agrees on a number.
_LARGEST = 2**53
_KINDS = frozenset(("segment", "aggregate", "task-state", "branch"))
_STATUS = frozenset(("valid", "warning", "invalid"))
_REASONS = frozenset(("manual", "threshold", "overflow", "proactive"))


class _Refused(Exception):  # noqa: N818 - a verdict, not a failure
    """Why a shape is not the one that is shared."""


def read(value: Any) -> SummaryDetails:
    """The details of a summary, of whatever shape they are."""
    if not isinstance(value, dict):
        return SummaryDetails()
    known, found, problem = value.get(KEY), None, None
    if KEY in value:
        try:
            found = _provenance(_Fields(known))
        except _Refused as why:
            problem = str(why)
    return SummaryDetails(_files(value.get("readFiles")), _files(value.get("modifiedFiles")), found, problem)


def files(value: Any) -> tuple[str, ...]:
    """The files that a summary speaks of."""
    if not isinstance(value, dict):
        return ()
    return tuple(dict.fromkeys(_files(value.get("readFiles")) + _files(value.get("modifiedFiles"))))


def _files(value: Any) -> tuple[str, ...]:
    """A list of paths; one of another shape holds none."""
    whole = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return tuple(dict.fromkeys(value)) if whole else ()


class _Fields:
    """The fields of one object by their types."""

    def __init__(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise _Refused("it is no object")
        self._value: Mapping[str, Any] = value

    def text(self, name: str) -> str:
        found = self._value.get(name)
        if not isinstance(found, str):
            raise _Refused(f"{name} is no text")
        return found

    def optional(self, name: str) -> str | None:
        return self.text(name) if self._value.get(name) is not None else None

    def one_of(self, name: str, known: frozenset[str]) -> str:
        found = self.text(name)
        if found not in known:
            raise _Refused(f"{name} is none that is known")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        found = self._value.get(name)
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise _Refused(f"{name} is no list of texts")
        return tuple(found)

    def number(self, name: str) -> float:
        found = self._value.get(name)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise _Refused(f"{name} is no number")
        if not -_LARGEST <= found <= _LARGEST:
            raise _Refused(f"{name} is no number")
        return found

    def level(self, name: str) -> int:
        found = self.number(name)
        if found < 0 or found != int(found):
            raise _Refused(f"{name} is no level")
        return int(found)

    def truth(self, name: str) -> bool:
        found = self._value.get(name)
        if not isinstance(found, bool):
            raise _Refused(f"{name} is neither true nor false")
        return found

    def objects(self, name: str) -> list[Any]:
        found = self._value.get(name)
        if not isinstance(found, list):
            raise _Refused(f"{name} is no list")
        return found


def _provenance(given: _Fields) -> Provenance:
    version = given.number("schemaVersion")
    if version not in _VERSIONS:
        raise _Refused("its version is not known")
    if given.number("contractVersion") != _CONTRACT:
        raise _Refused("its contract is not known")
    return _graph(given, int(version)) if version > 1 else _segment(given, int(version))


def _segment(given: _Fields, version: int) -> Provenance:
    """What the first version knows: a summary of one stretch of entries."""
    id_ = given.text("summaryId")
    return Provenance(
        version=version,
        id=id_,
        kind="segment",
        level=0,
        segment=id_,
        sources=given.texts("sourceEntryIds"),
        children=(),
        source_hash=given.text("sourceHash"),
        status=cast("Checked", given.one_of("validationStatus", _STATUS)),
        issues=given.texts("validationIssueCodes"),
        kept=given.text("firstKeptEntryId"),
        tokens=given.number("tokensBefore"),
        reason=given.one_of("reason", _REASONS),
        split=given.truth("isSplitTurn"),
        messages=given.number("messageCount"),
        generated=given.number("generatedAt"),
        provider=given.text("provider"),
        model=given.text("model"),
    )


def _graph(given: _Fields, version: int) -> Provenance:
    """What the second one adds: summaries made from others, some of which are kept beside it."""
    return msgspec.structs.replace(
        _segment(given, version),
        kind=cast("SummaryKind", given.one_of("summaryKind", _KINDS)),
        level=given.level("graphLevel"),
        segment=given.text("segmentSummaryId"),
        children=given.texts("childSummaryIds"),
        parts=tuple(_part(_Fields(one)) for one in given.objects("embeddedNodes")),
    )


def _part(given: _Fields) -> SummaryPart:
    return SummaryPart(
        id=given.text("id"),
        kind=cast("SummaryKind", given.one_of("kind", _KINDS)),
        level=given.level("graphLevel"),
        sources=given.texts("sourceEntryIds"),
        children=given.texts("childSummaryIds"),
        source_hash=given.text("sourceHash"),
        status=cast("Checked", given.one_of("validationStatus", _STATUS)),
        issues=given.texts("validationIssueCodes"),
        created=given.number("createdAt"),
        chars=len(given.text("content")),
        provider=given.optional("provider"),
        model=given.optional("model"),
    )
