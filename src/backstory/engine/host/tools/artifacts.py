"""`context_artifact_search`: stretches of a large tool result of this very branch, found by a literal text.

The object is hashed again before it is looked into, and what a stretch may not show to the model is not shown.
"""

from itertools import islice

from backstory.engine.artifacts import kept
from backstory.engine.host.hosted import Hosted, shown
from backstory.engine.host.tools.results import ARTIFACT, Unavailable, marked
from backstory.errors import CorruptDatabaseError, UsageError
from backstory.plan.condense import INLINE_CHARS, binary
from backstory.records.artifact import Artifact, ArtifactRequest
from backstory.records.host import Say
from backstory.records.tools import ArtifactSearch
from backstory.store import artifacts as stored
from backstory.text import quoting
from backstory.text.locate import lowered, spread, stretch

LARGEST = 50_000_000
AROUND = 300


def search(about: Hosted, arguments: ArtifactSearch) -> Say:
    """The first stretches around a text.

    Raises:
        Unavailable: the artifact is not of this branch, or may not be looked into.
    """
    found = _artifact(about, arguments.artifact_id)
    wanted = arguments.query.strip().lower()
    if len(wanted) < 2:
        raise Unavailable("invalid-parameters", "The text to find has 2 to 200 characters besides blanks.")
    text, level = shown(about.guard(), _text(about, found))
    if text is None:
        raise Unavailable("provider-policy-denied", "The privacy policy keeps this tool result from the model.")
    blocks, total = _stretches(text, wanted, arguments.max_matches)
    head = f"{total} matches in a tool result of {found.size} bytes; {len(blocks)} shown."
    data = {
        "schema": ARTIFACT,
        "status": "partial" if len(blocks) < total else "complete",
        "quotedData": True,
        "artifactId": found.id,
        "sizeBytes": found.size,
        "matches": total,
        "shown": len(blocks),
    }
    return Say(marked("\n".join([head, *blocks]), level), "info", data)


def _artifact(about: Hosted, name: str) -> Artifact:
    found = stored.get(about.engine.history, name)
    if found is None:
        raise Unavailable("artifact-unknown", "No tool result is kept under this id.")
    if f"{found.source}:{found.session_id}" != about.name:
        raise Unavailable("artifact-other-session", "This tool result belongs to another session.")
    if found.seq not in about.context.branch:
        raise Unavailable("artifact-other-branch", "This tool result is on another branch of the session.")
    return found


def _text(about: Hosted, found: Artifact) -> str:
    if found.size > LARGEST:
        raise Unavailable("artifact-too-large", "This tool result is too large to be searched.")
    try:
        text = kept.show(about.engine, ArtifactRequest(artifact=found.id)).text
    except (CorruptDatabaseError, UsageError) as error:
        raise Unavailable("artifact-damaged", "The bytes of this tool result are missing or damaged.") from error
    if binary(text):
        raise Unavailable("artifact-binary", "This tool result is not text.")
    return text


def _stretches(text: str, wanted: str, most: int) -> tuple[list[str], int]:
    """Quoted stretches, and the number of matches."""
    lower = lowered(text)
    blocks: list[str] = []
    used = 0
    for at in islice(spread(lower, wanted, AROUND), most):
        facts = [("Line", str(text.count("\n", 0, at) + 1)), ("Character", str(at))]
        block = quoting.render(quoting.EVIDENCE, facts, stretch(text, at, at + len(wanted), AROUND))
        used += len(block)
        if used > INLINE_CHARS:
            break
        blocks.append(block)
    return blocks, lower.count(wanted)
