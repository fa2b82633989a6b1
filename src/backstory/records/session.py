"""Sessions and entries: what a source yields and the index stores.

`Facts` is what a source learns about a session while reading it, `Draft` one entry as its source describes it, and
`Entry` the same entry with its place in the file. Times are integer milliseconds since the Unix epoch, UTC. The words
for what an entry is are plain strings: a member of an enumeration takes Python 3.11 ten times as long to look up, which
is felt where each record of a log needs several.
"""

import msgspec

from backstory.records.base import Record

ROLES = ("user", "assistant", "tool", "system")
ORIGINS = ("main", "fork", "subagent")


class Surface:
    """Whether a model call made now would see an entry."""

    CURRENT = "current"
    SHADOWED = "shadowed"
    LOG_ONLY = "log-only"


class Kind:
    """What an entry is, in words shared by all sources."""

    PROMPT = "prompt"  # what a person typed
    MESSAGE = "message"  # what a model wrote, with or without tool calls, or was given as a prompt of its own making
    TOOL_CALL = "tool-call"  # a model's message that holds only tool calls, or a logged call
    TOOL_RESULT = "tool-result"
    COMMAND = "command"  # a shell or slash command a person ran, with its output
    SUMMARY = "summary"  # a compaction or branch summary
    BOOT = "boot"  # machine-written text in a person's place: instructions, environment, reminders
    SYSTEM = "system"  # system prompt or system notice
    TITLE = "title"
    LABEL = "label"
    EDIT = "edit"  # replaces or drops the content of another entry
    MODEL = "model"  # a model or thinking-level change
    TODO = "todo"
    ERROR = "error"  # error or terminal status detail
    MEMORY = "memory"  # text injected by an extension that the model sees
    STATE = "state"  # extension state, progress, snapshots: never searchable


class Op:
    """How an entry changes which entries the model sees (see backstory.dialogue.surface)."""

    COMPACT = "compact"  # everything before `target` (an entry id; None keeps nothing) is summarised away
    EDIT = "edit"  # the content of entry `target` is replaced by this entry's text; empty text drops it
    REPLACE = "replace"  # entries whose seq lies in `target` ("start-end") give way to this one
    RESET = "reset"  # nothing before this entry is seen any more


def _words(given: type) -> tuple[str, ...]:
    return tuple(word for name, word in vars(given).items() if name.isupper())


SURFACES, KINDS, OPS = _words(Surface), _words(Kind), _words(Op)


class Draft(msgspec.Struct, gc=False):
    """One well-formed native record as its source describes it.

    `parent_id` None means "no parent" in a tree and is ignored in a linear session. `visible` says that the record
    reaches the model at all. `chars` counts the characters a model call would carry for it (thinking and arguments
    included, images as 4,800). `call_ids` are the tool calls made, or for a result the calls answered. `seq` is set
    only by sources with native sequence numbers; `span` is how many sequence numbers the record takes, `sources` are
    the numbers of the earlier entries it was made from, where the source records them.
    """

    kind: str
    role: str | None = None
    text: str = ""
    entry_id: str | None = None
    parent_id: str | None = None
    time: int | None = None
    visible: bool = False
    chars: int = 0
    tool: str | None = None
    call_ids: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    model: str | None = None
    sidechain: bool = False
    op: str | None = None
    target: str | None = None
    seq: int | None = None
    span: int = 1
    sources: tuple[int, ...] = ()


class Facts(msgspec.Struct, gc=False):
    """What a source knows about one session; a parser fills it while it reads.

    `origin` is main, fork or subagent. `shape` is tree (entries name their parent) or line. `rules` names the
    dialect whose active-context rules apply (for Pi: the writing version), `state` is whatever the parser needs to
    go on from a checkpoint; it must survive a JSON round trip and stay small.
    """

    id: str = ""
    cwd: str | None = None
    created: int | None = None
    title: str | None = None
    parent: str | None = None
    origin: str = "main"
    version: str | None = None
    models: list[str] = []
    shape: str = "line"
    rules: str = ""
    seed_length: int | None = None
    delegation_depth: int = 0
    agent_preset: str | None = None
    state: dict[str, object] = {}

    def use(self, model: str | None, provider: str | None = None) -> str | None:
        """Note that a model was used; its name, as "provider/model" where a provider is given."""
        if not model:
            return None
        name = f"{provider}/{model}" if provider else model
        if name not in self.models:
            self.models.append(name)
        return name


class Entry(msgspec.Struct, gc=False):
    """A draft with its place: `seq`, byte range in the (decompressed) file and the hash of the raw record."""

    seq: int
    offset: int
    length: int
    hash: bytes
    draft: Draft


class Malformed(Record, frozen=True):
    """A damaged record: `line` is 1-based in physical lines; `oversized` records were whole but too large."""

    line: int
    offset: int
    length: int
    reason: str
    oversized: bool = False
