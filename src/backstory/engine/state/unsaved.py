"""What one engine knows of its own calls: the newest of each session, and what may or can not be kept on disk of them.

A bounded window of manifests and samples.
"""

from collections import deque

import msgspec

from backstory.records.budget import Sample, Usage
from backstory.records.manifest import Manifest

MANIFESTS, SAMPLES, PROFILES, SESSIONS = 32, 24, 16, 64


class Unsaved:
    """The newest manifests, and the newest samples of the profiles used last. For one thread, as its engine is."""

    def __init__(self) -> None:
        self._manifests: deque[Manifest] = deque(maxlen=MANIFESTS)
        self._samples: dict[str, deque[Sample]] = {}
        self._newest: dict[str, str] = {}

    def made(self, manifest: Manifest) -> None:
        """Know a call as the newest of its session here, unless it is a past one planned again."""
        if manifest.replayed is None:
            self._newest.pop(manifest.session, None)
            self._newest[manifest.session] = manifest.id
            if len(self._newest) > SESSIONS:
                del self._newest[next(iter(self._newest))]

    def newest(self, session: str) -> str | None:
        """The id of the newest call of a session here, be it kept or not; None when none was planned lately."""
        return self._newest.get(session)

    def keep(self, manifest: Manifest) -> None:
        """Remember a manifest for a while."""
        self._manifests.append(manifest)

    def amend(self, manifest: Manifest) -> bool:
        """Remember another version of a manifest that is remembered; false when it is not."""
        for place, one in enumerate(self._manifests):
            if one.id == manifest.id:
                self._manifests[place] = manifest
                return True
        return False

    def get(self, id_: str) -> Manifest | None:
        """The manifest of an id, None when it is not remembered."""
        return next((one for one in self._manifests if one.id == id_), None)

    def begun(self, name: str) -> list[str]:
        """The ids of manifests that begin so."""
        return [one.id for one in self._manifests if one.id.startswith(name)]

    def listed(self, session: str | None) -> list[Manifest]:
        """Manifests, the newest first."""
        return [one for one in reversed(self._manifests) if session in {None, one.session}]

    def calls(self, session: str) -> list[Manifest]:
        """Those of calls of a session, without past ones planned again."""
        return [one for one in self.listed(session) if one.replayed is None]

    def answered(self, manifest: Manifest, usage: Usage, profile: str, time: int) -> bool:
        """Note what a provider counted, once for each manifest."""
        at = next((place for place, one in enumerate(self._manifests) if one.id == manifest.id), None)
        if at is None or self._manifests[at].usage is not None:
            return False
        self._manifests[at] = msgspec.structs.replace(self._manifests[at], usage=usage)
        if manifest.estimated_input > 0 and usage.prompt > 0 and not manifest.observed:
            kept = self._samples.pop(profile, deque(maxlen=SAMPLES))
            kept.append(Sample(manifest.estimated_input, usage.input, usage.cache_read, usage.cache_write, time))
            self._samples[profile] = kept
            if len(self._samples) > PROFILES:
                del self._samples[next(iter(self._samples))]
        return True

    def samples(self, profile: str) -> list[Sample]:
        """The samples of a profile, the newest first."""
        return list(reversed(self._samples.get(profile, ())))
