"""What is kept of a planned call: its manifest, the bytes of large results it refers to, and what the next call needs.

What cannot be kept is told in the manifest and spoils nothing. Neighbours: `engine.planning.manifest` makes it,
`engine.planning.manifests` shows what was kept.
"""

import os
from contextlib import closing, suppress

import msgspec

from backstory.engine.artifacts import condense
from backstory.engine.planning import evidence
from backstory.engine.planning.call import Call
from backstory.errors import BackstoryError
from backstory.plan import manifest as manifests
from backstory.records.manifest import Manifest
from backstory.store import manifests as stored
from backstory.store.history import open_history


def keep(call: Call, made: Manifest) -> Manifest:
    """Keep what later calls and questions need; what cannot be kept is told in the manifest and spoils nothing."""
    made = _with_objects(call, made)
    warnings = _store(call, made)
    if warnings:
        made = msgspec.structs.replace(made, warnings=tuple(dict.fromkeys((*made.warnings, *warnings))))
        call.engine.unsaved.keep(made)
    call.engine.unsaved.made(made)
    if call.terms.ephemeral:
        return made
    if call.gathered.working is not None and not call.gate.policy.enabled:
        with suppress(BackstoryError):
            evidence.keep(call.engine, call.context)
    return made


def _with_objects(call: Call, made: Manifest) -> Manifest:
    """The manifest with the names of the bytes that are kept of large results, as far as they could be."""
    referred = {ref.id for ref in made.artifacts}
    if call.terms.ephemeral or call.terms.observed or not referred:
        return made
    try:
        digests = condense.keep(
            call.engine, call.context, [one for one in call.gathered.condensed if one.ref.id in referred]
        )
    except BackstoryError:
        return made
    named = tuple(msgspec.structs.replace(ref, sha256=digests.get(ref.id)) for ref in made.artifacts)
    return msgspec.structs.replace(made, artifacts=named)


def _store(call: Call, made: Manifest) -> tuple[str, ...]:
    """Keep a manifest on disk or, where nothing may be kept there, for this process; why it could not be kept."""
    if call.terms.ephemeral or not call.config.manifests.store:
        call.engine.unsaved.keep(made)
        return ()
    kept = manifests.bounded(made)
    if kept is None:
        return ("the manifest is too large to be kept",)
    try:
        _save(call, kept)
    except BackstoryError as error:
        return (f"the manifest was not kept: {error}",)
    return ()


def _save(call: Call, kept: Manifest) -> None:
    """Save a manifest, once more where another process put a new index in the place of the one that is open here."""
    learnt, history = [(call.known.key, *one) for one in call.learnt], call.engine.history
    stored.save(history, kept, call.config.manifests.keep, learnt)
    if history.stands() or not os.path.exists(history.path):
        return
    with closing(open_history(history.path)) as other:
        if stored.get(other, kept.id) is None:
            stored.save(other, kept, call.config.manifests.keep, learnt)
