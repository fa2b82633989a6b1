"""How people read a planned call: its modes, the kinds of what it holds, and one item of it as the cells of a row.

Every list and every sentence takes its words from the one row of a kind, so that the same thing has the same name
wherever it is met. Sizes and times are worded by `text.wording`, bars and columns made by `text.charts`.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from backstory.records.manifest import Line, Manifest
from backstory.text.wording import counted, path_name


class ModeWords(NamedTuple):
    """What became of a call: as a word in a list, and told."""

    word: str
    told: str


class KindWords(NamedTuple):
    """One kind of message: as a word in a list, counted in a sentence, and told."""

    word: str
    many: str
    told: str


class Cells(NamedTuple):
    """An item of a call: its tokens, the word for its kind, where it stands, why it is there, and its privacy level.

    `level` is empty where everybody may see it, else in brackets with a space before.
    """

    tokens: str
    kind: str
    place: str
    reason: str
    level: str


MODES = {
    "managed": ModeWords("planned", "planned"),
    "degraded": ModeWords(
        "cut down", "cut down: the request, the newest of what followed, and what stands for the rest"
    ),
    "native": ModeWords("own list", "not planned: the agent's own list"),
}
KINDS = {
    "system": KindWords("system", "system messages", "system messages"),
    "current": KindWords("request", "the current turn", "the request and what followed it"),
    "labelled": KindWords("pinned", "pinned messages", "messages labelled as pinned"),
    "recent": KindWords("recent", "recent messages", "recent conversation"),
    "pin": KindWords("pin", "pins", "pins"),
    "memory": KindWords("memory", "memories", "memory"),
    "card": KindWords("names", "names", "names from earlier: files, commands, identifiers"),
    "excerpt": KindWords("passages", "passages", "short passages from earlier"),
    "retrieval": KindWords("match", "earlier messages", "earlier messages that match the request"),
    "project": KindWords("project", "project source", "project source"),
    "summary": KindWords("summary", "summaries", "summaries"),
    "history": KindWords("older", "older messages", "older conversation"),
}
UNANSWERED = "a tool call in it was never answered"
ORPHAN = "the tool call that it answers is not here"
EMPTY = "nothing of it can be sent"
# What no provider would take stays out whatever its age.
_UNFIT = {
    reason: KindWords("unfit", "messages that cannot be sent", "conversation that cannot be sent")
    for reason in (UNANSWERED, ORPHAN, EMPTY)
}


def mode_words(name: str) -> ModeWords:
    """The words for a mode; one that is not known stands for itself."""
    return MODES.get(name) or ModeWords(name, name)


def kind_words(name: str) -> KindWords:
    """The words for a kind; one that is not known stands for itself."""
    return KINDS.get(name) or KindWords(name, name, name)


def out_words(kind: str, reason: str) -> KindWords:
    """The words for what stays out for a reason."""
    return _UNFIT.get(reason) or kind_words(kind)


def cells(line: Line, places: Mapping[str, str] | None = None) -> Cells:
    """An item of a manifest, uncut; what no log holds yet, such as a request that is tried out, is new.

    `places` says where something is that an id names.
    """
    named = (places or {}).get(line.source or "", line.source)
    place = f"#{line.seq}" if line.seq is not None else named or "new"
    more = f" and {line.messages - 1:,} more" if line.messages > 1 else ""
    level = f" [{line.level}]" if line.level != "normal" else ""
    return Cells(f"{line.tokens:,}", out_words(line.kind, line.reason).word, place + more, line.reason, level)


def places(manifest: Manifest) -> dict[str, str]:
    """The files and lines that ids of project source in the call stand for."""
    return {one.id: f"{path_name(one.path)}:{one.start_line}-{one.end_line}" for one in manifest.snippets}


def around(manifest: Manifest) -> list[tuple[int, str]]:
    """What goes with the messages, as tokens and words: system prompt and tools, apart where a host told them so."""
    parts = manifest.composition
    if not parts.tools and parts.tool_count is None:
        found = [(parts.system, "system prompt and tools")]
    else:
        tools = counted(parts.tool_count, "tool") if parts.tool_count is not None else "tools"
        found = [(parts.system, "system prompt"), (parts.tools, tools)]
    return [(tokens, what) for tokens, what in found if tokens]


def checked(manifest: Manifest) -> Iterable[str]:
    """What a person's rules of privacy kept from the provider, as lines."""
    report = manifest.privacy
    if report.stage == "disabled":
        return
    parts = [counted(report.blocked, "block") + " withheld"] if report.blocked else []
    parts += [counted(report.secrets, "credential") + " replaced"] if report.secrets else []
    parts += [f"{counted(report.excluded, 'item')} left out as a whole"] if report.excluded else []
    more = report.late + report.payload_blocked + report.payload_secrets
    parts += [f"{more:,} more at the last look"] if more else []
    yield f"Checked for {report.provider or 'any provider'}: {', '.join(parts) or 'nothing was withheld'}."
