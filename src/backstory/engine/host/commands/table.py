"""The table of `/context` commands: what each is called, takes and does, and the function that answers it."""

from difflib import get_close_matches

from backstory.errors import quoted
from backstory.records.base import Record
from backstory.text.charts import table

LATER = ("summaries", "compaction", "quality", "ranking", "continuation")

_PIN = "[--scope SCOPE] [--classification LEVEL] [--source ENTRY] [--file PATH] [--supersedes ID] TEXT"
_ADD = "[--scope SCOPE] [--classification LEVEL] [--key KEY] [--source ID,ID] CLAIM"
_REPLACE = "[--classification LEVEL] [--source ID,ID] ID CLAIM"


class Command(Record, frozen=True):
    """One command. `handler` is "module:function" in this package; `takes` is shown behind its name."""

    name: str
    summary: str
    handler: str
    takes: str = ""

    @property
    def form(self) -> str:
        """How it is written inside an agent."""
        return f"/context {self.name} {self.takes}".rstrip()

    @property
    def shell_form(self) -> str:
        """How it is written in a shell, where the session is named."""
        return f"backstory context {self.name} SESSION {self.takes}".rstrip()


COMMANDS = (
    Command("status", "what Backstory does in this session", "overview:status"),
    Command("adapter", "what the agent offers and what of it is used", "overview:adapter"),
    Command("tokens", "what calls were estimated at, and what the provider counted", "calls:tokens"),
    Command("manifest", "everything the last call held", "calls:manifest", "[ID]"),
    Command("explain", "the last call in words: what is in, what stayed out, why", "calls:explain", "[ID]"),
    Command("included", "what the last call held, largest first", "calls:included", "[ID]"),
    Command("excluded", "what stayed out of the last call, by reason or one by one", "calls:excluded", "[all] [ID]"),
    Command("retrieved", "earlier messages that the last call quotes", "calls:retrieved", "[ID]"),
    Command("project", "the project's index, and source the last call quotes", "parts:project"),
    Command("privacy", "what may go to the model, and what was withheld", "parts:privacy"),
    Command("model", "the model's limits, and what is learned about them", "parts:model"),
    Command("config", "the settings that hold here, and where each comes from", "settings:config", "[all]"),
    Command("artifacts", "large tool results that calls only refer to", "parts:artifacts"),
    Command("health", "whether the index is sound", "upkeep:health"),
    Command("storage", "what is stored, and how much of it", "upkeep:storage"),
    Command("rebuild-index", "read this session and its project anew", "upkeep:rebuild"),
    Command("pins", "what is kept in view of every call", "memory:pins", "[all]"),
    Command("pin", "keep a text in view of every call", "memory:pin", _PIN),
    Command("unpin", "take a pin back", "memory:unpin", "ID [REASON]"),
    Command("memory", "what is remembered", "memory:memory", "[all]"),
    Command("memory add", "remember a claim", "memory:add", _ADD),
    Command("memory supersede", "replace a memory by a newer claim", "memory:supersede", _REPLACE),
    Command("memory invalidate", "say that a memory was wrong", "memory:invalidate", "ID [REASON]"),
    Command("memory expire", "say that a memory no longer holds", "memory:expire", "ID [REASON]"),
    Command("memory sources", "the logs that memories of the project come from", "sharing:sources"),
    Command("memory exclude", "leave a session's memories of the project aside", "sharing:exclude", "SESSION [REASON]"),
    Command("memory include", "let a session's memories count again", "sharing:include", "SESSION"),
    Command("history", "whether earlier parts of the session can be looked into", "history:status"),
    Command("history search", "find what was said earlier in the session", "history:search", "[--scope SCOPE] TEXT"),
    Command("history read", "read an entry of the session", "history:read", "ENTRY [START] [LINES]"),
    Command("help", "this list", "overview:usage"),
)  # fmt: skip


def find(words: list[str]) -> tuple[Command, int] | None:
    """The command that the first words name, and how many of them its name takes; the longest name wins."""
    names = {command.name: command for command in COMMANDS}
    for count in (2, 1):
        if len(words) >= count and (found := names.get(" ".join(words[:count]).lower())):
            return found, count
    return None


def nearest(word: str) -> str | None:
    """The name most like a word that is none."""
    names = [command.name.split()[0] for command in COMMANDS]
    found = get_close_matches(word.lower()[:40], list(dict.fromkeys([*names, *LATER])), 1, 0.5)
    return found[0] if found else None


def misplaced(command: Command, words: list[str]) -> str | None:
    """What to say of words behind a command that takes none: mostly the second word of another is mistyped."""
    if command.takes or not words or command.name == "help":
        return None
    first = f"{command.name} "
    below = {one.name.removeprefix(first): one.name for one in COMMANDS if one.name.startswith(first)}
    near = get_close_matches(words[0].lower()[:40], below, 1, 0.5)
    hint = f"; did you mean {below[near[0]]}" if near else ""
    return f"{command.name} takes no {quoted(words[0][:40])}{hint}"


def listing(prefix: str = "/context") -> list[str]:
    """The table as lines."""
    rows = [(f"{prefix} {command.name}", command.summary) for command in COMMANDS]
    return [*table(rows), "", f"  {', '.join(LATER[:-1])} and {LATER[-1]} come with a later version."]
