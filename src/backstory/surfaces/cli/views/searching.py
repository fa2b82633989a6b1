"""Search results: what was said, where, and how to go back there."""

from collections import Counter
from shlex import quote

from backstory.records.searching import Hit, SearchPage, SessionHit
from backstory.surfaces.cli.terminal import Terminal
from backstory.text.beginnings import matched
from backstory.text.charts import broken, columns
from backstory.text.wording import UNFINISHED, counted, when

# Of so few results nobody wonders how many sessions they are of.
FEW_RESULTS = 5
SHORTEST_TITLE = 36
# Room for the end of a folder's path.
PLACE = 28
WHO = {"user": "you", "assistant": "agent", "tool": "tool", "system": "system"}


def found(page: SearchPage, terminal: Terminal) -> str:
    """A page of hits."""

    def cut(hit: Hit) -> str:
        return _wrapped(_marked(" ".join(hit.snippet.split()), page, terminal), terminal)

    blocks = [
        _hit(item, cut(item), terminal)
        if isinstance(item, Hit)
        else _session(item, cut(item.best) if item.best else None, terminal)
        for item in page.items
    ]
    lines = blocks or ["Nothing found.\n"]
    notes = [*page.warnings, *([UNFINISHED] if page.partial else [])]
    lines += map(terminal.note, notes)
    if page.next_cursor:
        lines += [terminal.style(terminal.hang(hint), "dim") for hint in _crowded(page)]
        lines.append(terminal.style(f"more: add --cursor {page.next_cursor}", "dim"))
    return "\n".join(lines) + "\n"


def _crowded(page: SearchPage) -> list[str]:
    """That most of a full page is of one session, when it is: the next page may hold more of the same."""
    counts = Counter((hit.source, hit.session_id) for hit in page.items if isinstance(hit, Hit))
    _, most = max(counts.items(), key=lambda pair: pair[1], default=("", 0))
    if len(page.items) < FEW_RESULTS or 2 * most <= len(page.items):
        return []
    return [f"{most} of {len(page.items)} are of one session: --sessions shows each session once"]


def _hit(hit: Hit, body: str, terminal: Terminal) -> str:
    head = _head(hit.title, _about(hit, terminal), terminal)
    return "\n".join([head, body, terminal.style(_shown(hit.name, hit), "cyan"), ""])


def _shown(name: str, hit: Hit | None) -> str:
    """The command that shows a session, at an entry if there is one."""
    entry = hit.entry if hit else ""
    at = f" --entry{'=' if entry.startswith('-') else ' '}{quote(entry)}" if entry else ""
    # What begins like an option is none behind two dashes.
    return f"  backstory show{at} -- {quote(name)}" if name.startswith("-") else f"  backstory show {quote(name)}{at}"


def _head(title: str | None, about: str, terminal: Terminal) -> str:
    """The head of a result: on one line where the title, or enough of it, has room there, else on two."""
    room = terminal.width - columns(about) - 2
    apart = terminal.narrow and room < min(SHORTEST_TITLE, columns(title or "untitled"))
    shown = terminal.style(terminal.clip(title or "untitled", terminal.width if apart else room), "bold")
    return (
        f"{shown}\n{terminal.style(terminal.hang(f'  {about}'), 'dim')}"
        if apart
        else f"{shown}  {terminal.style(about, 'dim')}"
    )


def _about(hit: Hit, terminal: Terminal) -> str:
    role = "assistant" if hit.kind == "message" else hit.role or ""
    who = WHO.get(role, role)
    what = f"{who} ({hit.tool})" if hit.tool else who
    spoken = hit.kind in {"prompt", "message", "tool-call", "tool-result"}
    parts = [hit.source, what if spoken else hit.kind, when(hit.time)]
    parts += [] if hit.surface == "current" else [hit.surface]
    parts += ["source missing"] if hit.missing else []
    parts.append(terminal.end(hit.cwd or "", PLACE))
    return " · ".join(part for part in parts if part)


def _session(hit: SessionHit, body: str | None, terminal: Terminal) -> str:
    about = [hit.source, when(hit.updated), counted(hit.entries, "entry")]
    about += ["source missing"] if hit.missing else []
    about.append(terminal.end(hit.cwd or "", PLACE))
    head = _head(hit.title, " · ".join(filter(None, about)), terminal)
    resume = [terminal.style(f"  {hit.resume}", "cyan")] if hit.resume else []
    return "\n".join(
        [head, *([] if body is None else [body]), terminal.style(_shown(hit.name, hit.best), "cyan"), *resume, ""]
    )


def _wrapped(text: str, terminal: Terminal) -> str:
    """The text in indented lines, broken between words only: names and paths stay whole, so that they can be copied."""
    width = min(max(terminal.width - 2, 40), 120)
    return "\n".join(broken(f"  {text}", width, "  "))


def _marked(text: str, page: SearchPage, terminal: Terminal) -> str:
    """The text with what was looked for in colour, each word by itself, as lines break between them."""
    if not terminal.colour:
        return text
    shown, at = "", 0
    for start, end in matched(text, [" ".join(piece.split()) for piece in page.pieces], page.words):
        found = " ".join(terminal.style(word, "bold", "red") for word in text[start:end].split(" "))
        shown, at = f"{shown}{text[at:start]}{found}", end
    return shown + text[at:]
