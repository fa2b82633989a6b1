"""Decides what a Claude Code session is called while its records pass.

A `summary` line may describe another session: only its leaf id tells, and the leaf may come before or after the
line. Recent ids and awaited leaves are therefore kept in the facts' state, both bounded.
"""

from enum import IntEnum
from typing import cast

from backstory.records.session import Facts
from backstory.sources.authorship import LONGEST_HEADLINE, bare, headline, titled

_MOST_AWAITED = 16
_MOST_RECENT = 128
_ID_TAIL = 12


class Rank(IntEnum):
    """How much a title is worth; of equals the later one wins, except among commands and prompts."""

    NONE = 0
    COMMAND = 1
    PROMPT = 2
    SUMMARY = 3
    MODEL = 4
    PERSON = 5


class Titles:
    """The title of one session, kept in its facts."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._recent = cast("list[str]", facts.state.setdefault("recent", []))
        self._awaited = cast("dict[str, str]", facts.state.setdefault("awaited", {}))

    def passed(self, uuid: str) -> None:
        """Notes that the file holds this record."""
        recent = self._recent
        recent.append(uuid[-_ID_TAIL:])
        if len(recent) > 2 * _MOST_RECENT:
            del recent[:_MOST_RECENT]
        if self._awaited and (title := self._awaited.pop(uuid, None)):
            self.offer(Rank.SUMMARY, title)

    def describes(self, leaf: str, summary: str) -> bool:
        """Whether the summary is known to be about this session; if not yet, its leaf is awaited."""
        if leaf[-_ID_TAIL:] in self._recent:
            self.offer(Rank.SUMMARY, summary)
            return True
        self._awaited[leaf] = titled(summary, LONGEST_HEADLINE)
        if len(self._awaited) > _MOST_AWAITED:
            del self._awaited[next(iter(self._awaited))]
        return False

    def prompted(self, prompt: str) -> None:
        """Takes the first line of a prompt for a title, if there is no better one."""
        title = headline(prompt)
        self.offer(Rank.COMMAND if title and bare(title) else Rank.PROMPT, title)

    def offer(self, rank: int, title: str | None) -> None:
        """Takes the title unless a better one is known."""
        known = cast("int", self._facts.state.get("rank", Rank.NONE))
        if title and (rank > known or rank == known > Rank.PROMPT):
            self._facts.title = titled(title)
            self._facts.state["rank"] = int(rank)
