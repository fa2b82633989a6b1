"""How project answers look to a person."""

import re
from collections.abc import Mapping

from backstory.records.project import ProjectStatus, SearchResult, SourceItem, SyncReport
from backstory.records.project_eval import EvalReport, Scores
from backstory.records.project_requests import ProjectFiles, ProjectShown, ProjectSymbols, ProjectTrust, ProjectWatched
from backstory.surfaces.cli.terminal import Terminal
from backstory.text.charts import beginning
from backstory.text.wording import counted, path_name, size

PREVIEW = 12
# Lines shown before one that the request names.
BEFORE = 2
# What stands before a path in a list of files, but for the language.
FILE_FACTS = 14
MARGIN = 10
INDEXED_ALL_THE_SAME = (
    "an index of it is kept, made for an agent that trusts it or with --trust-once; "
    "backstory project untrust deletes it"
)
LEGEND = (
    "right are the code files that a commit changed. acc@1: share of queries with a right file first; "
    "MRR: mean of 1 / place of the first right one; any@5: share with one among five; "
    "rec@5: share of the right ones among five; files, hunks: share of them, and of their changed places, in the answer"
)
IN_PLACE = "; in place: commits that add and remove no code"
SILENT = {
    "no-query": "The request names nothing specific; add a name, a path or a telling word.",
    "empty": "The project has no files to search.",
}
# What is left out for a reason that an index counts: as a noun, and what is said behind it.
LEFT_OUT = {
    "folder": ("file", " in folders that are never read"),
    "sensitive": ("sensitive file", ""),
    "lock": ("lock file", ""),
    "name": ("file", " with a name that is not UTF-8 or leads out of the project"),
    "irregular": ("special file", ""),
    "oversized": ("large file", ""),
    "unreadable": ("unreadable file", ""),
    "binary": ("binary file", ""),
    "encoding": ("file", " of another encoding than UTF-8"),
}


def indexed(report: SyncReport, terminal: Terminal) -> str:
    """What a synchronisation did."""
    done = f"{report.indexed:,} indexed, {report.unchanged:,} unchanged, {report.removed:,} removed"
    lines = [f"{counted(report.files, 'file')}: {done}"]
    lines += _left_out(report.excluded)
    if report.truncated:
        lines.append(terminal.style("the project is larger than its bounds; not every file is indexed", "yellow"))
    lines += [terminal.style(warning, "yellow") for warning in report.warnings]
    return "\n".join(map(terminal.hang, lines)) + "\n"


def _left_out(excluded: Mapping[str, int], how: str = "left out") -> list[str]:
    nouns = ((count, *LEFT_OUT.get(reason, (reason, ""))) for reason, count in excluded.items())
    told = ", ".join(f"{counted(count, noun)}{which}" for count, noun, which in nouns)
    return [f"{how}: {told}"] if told else []


def found(result: SearchResult, terminal: Terminal) -> str:
    """Ranges by file, of each the lines that say most about the request."""
    lines = []
    if result.status in SILENT:
        lines.append(SILENT[result.status])
    elif not result.files:
        lines.append("Nothing matches.")
    path = None
    for item in result.items:
        if item.path != path:
            path = item.path
            lines.append(
                terminal.hang(f"{terminal.style(path_name(path), 'bold')}  {terminal.style(item.reason, 'dim')}")
            )
        lines.extend(_range(item, terminal, PREVIEW))
    shown = {item.path for item in result.items}
    rest = [file for file in result.files if file.path not in shown]
    if rest:
        lines.append(terminal.style(terminal.hang("also: " + ", ".join(path_name(file.path) for file in rest)), "dim"))
    lines.extend(terminal.style(terminal.hang(warning), "yellow") for warning in result.warnings)
    return "\n".join(lines) + "\n"


def _range(item: SourceItem, terminal: Terminal, most: int | None) -> list[str]:
    name = f"  {item.kind} {item.symbol}" if item.symbol else "  whole file" if item.kind == "file" else ""
    lines = [terminal.style(f"  {item.start_line}-{item.end_line}{name}", "cyan")]
    text = item.text.split("\n")
    first = 0 if most is None else _telling(item, text, most)
    width, cut = terminal.width - MARGIN, terminal.narrow and most is not None
    for number, line in enumerate(text[first:][:most], item.start_line + first):
        mark = ">" if most is None and number in item.lines else " "
        lines.append(f" {mark}{number:>6}  {beginning(line, width) if cut else line}")
    if most is not None and len(text) > most:
        lines.append(terminal.style(f"          … {counted(len(text) - most, 'more line')}", "dim"))
    return lines


def _telling(item: SourceItem, text: list[str], most: int) -> int:
    """Where the `most` lines begin that hold what was named, else the most of the words, and then the range's name."""
    last = max(len(text) - most, 0)
    if item.lines:
        return min(max(item.lines[0] - item.start_line - BEFORE, 0), last)
    _, _, matched = item.reason.partition("matches ")
    name = (item.symbol or "").lower().rpartition(".")[2]
    words = {*matched.partition(";")[0].lower().split(", "), name} - {""}
    lowered = [line.lower() for line in text]
    held = [[word for word in words if word in line] for line in lowered]
    named = next((at for at, line in enumerate(lowered) if name and re.search(rf"\b{re.escape(name)}\b", line)), -1)

    def weight(at: int) -> tuple[int, bool, int]:
        seen = [word for line in held[at : at + most] for word in line]
        return len(set(seen)), at <= named < at + most, len(seen)

    best = max(range(last + 1), key=weight)
    start = next((at for at in range(best, len(held)) if held[at]), best)
    return min(max(start - 1, 0), last)


def status(report: ProjectStatus, terminal: Terminal) -> str:
    """Trust first, then sizes."""
    colour = "green" if report.trust == "trusted" else "yellow"
    lines = [f"{terminal.style(report.root, 'bold')}  {terminal.style(report.trust, colour)}"]
    if report.trust != "trusted":
        lines.append(f"nothing of it was read; backstory project trust --root {report.root} allows it here")
        lines.append("inside an agent, what you told that agent about the folder holds instead")
        lines += [INDEXED_ALL_THE_SAME] if report.hosted else []
    elif not report.indexed:
        lines.append("not indexed yet; backstory project index does it")
    else:
        differing = f" ({report.modified} modified or untracked)" if report.revision.git_root else ""
        lines.append(
            f"{counted(report.files, 'file')}{differing}, "
            f"{counted(report.snippets, 'snippet')}, "
            f"{counted(report.symbols, 'declaration')}, index {size(report.database_bytes)}"
        )
        lines += _left_out(report.excluded, "read and left out")
        if report.revision.head:
            lines.append(f"branch {report.revision.branch or '(detached)'} at {report.revision.head[:12]}")
    lines += [terminal.style(warning, "yellow") for warning in report.warnings]
    return "\n".join(map(terminal.hang, lines)) + "\n"


def decided(answer: ProjectTrust, _terminal: Terminal) -> str:
    """The decision."""
    return f"{answer.root} is {answer.trust}\n"


def files(answer: ProjectFiles, terminal: Terminal) -> str:
    """One line a file: in a Git work tree M for what differs from the last commit, ? for what is not tracked."""
    marks = {(True, True): "M", (False, True): "?"} if answer.versioned else {}
    width = max((len(file.language or "-") for file in answer.files), default=0)
    room = terminal.width - width - FILE_FACTS
    lines = [
        f"{marks.get((file.tracked, file.modified), ' ')} {file.language or '-':<{width}} {size(file.size):>9}  "
        + terminal.end(path_name(file.path), room)
        for file in answer.files
    ]
    if answer.more:
        lines.append("… more; --limit raises the bound")
    return "\n".join(lines or ["No files."]) + "\n"


def symbols(answer: ProjectSymbols, terminal: Terminal) -> str:
    """One line a declaration, by file."""
    lines = []
    path = None
    for found_ in answer.symbols:
        if found_.path != path:
            path = found_.path
            lines.append(terminal.style(path_name(path), "bold"))
        symbol = found_.detail.symbol
        about = f"  {symbol.start:>6}-{symbol.end:<6} {symbol.kind:<10} "
        lines.append(about + terminal.clip(symbol.signature or symbol.qualified, terminal.width - len(about)))
    if not lines:
        lines.append("No declarations." + (f" Did you mean {' or '.join(answer.near)}?" if answer.near else ""))
    return "\n".join(lines) + "\n"


def shown(answer: ProjectShown, terminal: Terminal) -> str:
    """Whole ranges."""
    lines = []
    for item in answer.items:
        lines.append(terminal.style(path_name(item.path), "bold"))
        lines.extend(_range(item, terminal, None))
    return "\n".join(lines) + "\n"


def evaluated(report: EvalReport, terminal: Terminal) -> str:
    """A table of figures by language, or why there are none."""
    if not report.overall.queries:
        return "\n".join(map(terminal.hang, report.warnings)) + "\n"
    names = ("acc@1", "MRR", "any@5", "any@10", "rec@5", "rec@10", "files", "hunks")
    head = f"{'':<12} {'queries':>7} " + " ".join(f"{name:>6}" for name in names)
    rows, legend = [_scores("all", report.overall)], LEGEND
    if 0 < report.in_place.queries < report.overall.queries:
        rows.append(_scores("in place", report.in_place))
        legend += IN_PLACE
    rows += [_scores(name, scores) for name, scores in report.languages.items()]
    told = [*map(terminal.hang, report.warnings), "", terminal.style(terminal.hang(legend), "dim")]
    return "\n".join([head, *rows, *told]) + "\n"


def _scores(name: str, row: Scores) -> str:
    figures = (
        row.acc1,
        row.mrr,
        row.any5,
        row.any10,
        row.recall5,
        row.recall10,
        row.card_files,
        row.card_hunks,
    )
    return f"{name:<12} {row.queries:>7} " + " ".join(f"{figure:>6.3f}" for figure in figures)


def watched(answer: ProjectWatched, _terminal: Terminal) -> str:
    """What the watch did."""
    return f"{answer.root}: {counted(answer.rounds, 'round')}, {counted(answer.refreshed, 'file')} indexed\n"
