"""`/context history`: a person looks into earlier parts of the session with what the model's tools use.

What is shown is what the model may see, so that a person sees what it would get.
"""

from backstory.engine import naming
from backstory.engine.host.commands.about import About, told
from backstory.engine.host.commands.line import TypedWord, given
from backstory.engine.host.hosted import Hosted
from backstory.engine.host.tools import history, reading, scope
from backstory.engine.host.tools.results import Unavailable
from backstory.engine.state.pending import EntryReference
from backstory.errors import UsageError
from backstory.plan.evidence.quotations import excerpt
from backstory.records.host import Say
from backstory.records.tools import HistoryRecall, HistoryStatus
from backstory.store import context
from backstory.text.charts import clipped, table
from backstory.text.wording import counted, when

SHOWN, EXCERPT, LINES = 6, 240, 60
_SCOPES = (scope.BRANCH, scope.SESSION, scope.LINEAGE, scope.PROJECT)


def status(about: About, _typed: list[TypedWord]) -> Say:
    """How much can be looked into."""
    said = reading.status(about.session, HistoryStatus())
    rows = [
        ("entries on this branch", f"{said.data['branchEntries']:,}"),
        ("entries of the session", f"{said.data['sessionEntries']:,}"),
        ("scopes", ", ".join(said.data["scopes"])),
        ("references given out", f"{said.data['references']:,}"),
        ("tools for the model", "on" if about.settings.config.tools.history else "off: tools.history in your settings"),
    ]
    return told(["Earlier history", *table(rows)], said.data)


def search(about: About, typed: list[TypedWord]) -> Say:
    """Entries that match, each with a reference to read it by.

    Raises:
        UsageError: the text, or the scope, makes no sense or is not to be had.
    """
    said = given(typed, ("scope",))
    query, where = said.text(), said.options.get("scope", scope.BRANCH)
    if len(query.strip()) < 2:
        raise UsageError("say what to look for, in at least two characters")
    if where not in _SCOPES:
        raise UsageError(f"--scope is one of {', '.join(_SCOPES)}, not {where!r}")
    session = about.session
    try:
        _, hits = history.matched(session, HistoryRecall(query=query, scope=where))  # type: ignore[arg-type]
    except Unavailable as why:
        raise UsageError(str(why)) from why
    shown = f", the best {SHOWN}:" if len(hits) > SHOWN else ""
    matching = "matches" if len(hits) == 1 else "match"
    lines = [f"{counted(len(hits), 'entry')} of {where} {matching}{shown}" if hits else "Nothing earlier matches."]
    for hit in hits[:SHOWN]:
        one, owner = hit.match.said, hit.candidate.owner
        elsewhere = f" in {owner}" if owner != session.name else ""
        place = f"#{one.seq}{elsewhere}, {one.voice}, {when(one.time)}, {hit.candidate.relation}"
        lines += ["", f"  {place}", f"    {clipped(excerpt(one.text, hit.match, EXCERPT), EXCERPT)}"]
    if hits:
        asked = "backstory context history read SESSION" if about.shell else "/context history read"
        lines += ["", f"Read one of this session with: {asked} NUMBER"]
    return told(lines, {"matches": len(hits), "entries": [hit.candidate.said.seq for hit in hits[:SHOWN]]})


def read(about: About, typed: list[TypedWord]) -> Say:
    """Lines of an entry of the session, named by its number, its id, or a reference that the model was given.

    Raises:
        UsageError: no entry is named, or its text is not to be had.
        UnknownEntryError: the session has no such entry.
    """
    words = [word.value for word in typed]
    if not words:
        raise UsageError("name an entry")
    start, most = (_number(words, at, default) for at, default in ((1, 1), (2, LINES)))
    try:
        found = reading.entry(about.session, _reference(about.session, words[0]))
    except Unavailable as why:
        raise UsageError(str(why)) from why
    shown = found.lines[start - 1 : start - 1 + min(most, LINES)]
    end = start - 1 + len(shown)
    head = f"entry #{found.stored.seq}, lines {start} to {end} of {len(found.lines)}"
    return told([head, "", *(line[: reading.LONGEST_LINE] for line in shown)], {"lines": len(found.lines)})


def _reference(session: Hosted, name: str) -> EntryReference:
    if name.startswith("src_"):
        return reading.held(session, name)
    history, given = session.engine.history, session.context
    seq = naming.entry(session.engine, given.key, given.row, name)
    hash_ = context.entries_at(history, given.key, [seq])[seq].hash
    return EntryReference(session.name, session.name, given.key, seq, hash_, scope.SESSION)


def _number(words: list[str], at: int, default: int) -> int:
    if len(words) <= at:
        return default
    if not (words[at].isdecimal() and words[at].isascii() and 0 < len(words[at]) < 9 and int(words[at])):
        raise UsageError(f"{words[at][:20]!r} is no number of lines")
    return int(words[at])
