"""Keeps the documentation true: writes its made blocks anew, or with `--check` says what is not current or broken.

A block stands between `<!-- made: NAME -->` and `<!-- end -->` in any Markdown page. What goes into it is a function of
`reference_blocks`, `reference_host` or `reference_transcript`. Checked besides: relative links and anchors, that links
lead from README to every page, that every environment variable which the source reads is named in the reference, and
that the modules which pages and the source itself name, as neighbours too, exist.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import reference_blocks as blocks
import reference_host as host
import reference_transcript as transcript

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "backstory"
BLOCK = re.compile(r"(<!-- made: (?P<name>[a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)|!\[[^\]]*\]\((?P<image>[^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MODULE = re.compile(r"`(?P<name>[a-z_]+(?:[./][a-z_]+)+?)(?:\.py|\.sql|\.ts|/)?`")
NEIGHBOURS = re.compile(r"\b(?:Neighbours:|Before it:|After it:).*?(?=\"\"\")", re.DOTALL)
NAMED = re.compile(r"`(?:backstory\.)?([a-z_]+)[a-z_./]*`")
VARIABLE = re.compile(r"\benv(?:iron)?(?:\.get\(|\[)\s*\"([A-Z][A-Z0-9_]+)\"")

MAKERS: Mapping[str, Callable[[], str]] = {
    "command-list": blocks.command_list,
    "commands": blocks.commands,
    "errors": blocks.error_codes,
    "sources": blocks.sources,
    "supported": blocks.supported,
    "recognised": blocks.recognised_agents,
    "answers": blocks.answers,
    "settings": blocks.settings,
    "context-commands": host.context_commands,
    "model-tools": host.model_tools,
    "persistence-actions": host.persistence_actions,
    "transcript": transcript.readme,
    "quick-start": transcript.quick_start,
    "redaction": transcript.redaction,
    "literal": transcript.literal,
}


def pages() -> list[Path]:
    """Every Markdown page of ours."""
    top = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "samples/README.md")]
    return [*(page for page in top if page.exists()), *sorted((ROOT / "docs").rglob("*.md"))]


def made(text: str) -> str:
    """A page with all its blocks made anew."""
    return BLOCK.sub(lambda found: f"{found[1]}{MAKERS[found['name']]()}\n{found[3]}", text)


def problems() -> Iterator[str]:
    """What is wrong with the documentation, one line each."""
    used: set[str] = set()
    for page in pages():
        text = page.read_text(encoding="utf-8")
        used |= {found["name"] for found in BLOCK.finditer(text)}
        if made(text) != text:
            yield f"{page.relative_to(ROOT)}: not current; run `make docs`"
        yield from broken_links(page, text)
        yield from unknown_modules(page, text)
    for module in sorted(PACKAGE.rglob("*.py")):
        source = module.read_text(encoding="utf-8")
        yield from unknown_modules(module, source)
        yield from unknown_neighbours(module, source)
    yield from (f"no page holds the block {name!r}" for name in sorted(MAKERS.keys() - used))
    yield from unreached()
    yield from undocumented()


def broken_links(page: Path, text: str) -> Iterator[str]:
    """Relative links whose file or anchor does not exist."""
    for target, other, anchor in links(page, text):
        if not other.exists():
            yield f"{page.relative_to(ROOT)}: link to {target}, which does not exist"
        elif anchor and anchor not in anchors(other):
            yield f"{page.relative_to(ROOT)}: link to {target}, which has no such heading"


def links(page: Path, text: str) -> Iterator[tuple[str, Path, str]]:
    """Every relative link of a page: as it is written, the file it leads to, the anchor or an empty text."""
    for found in LINK.finditer(FENCE.sub("", text)):
        target = found["target"] or found["image"]
        if not re.match(r"[a-z]+:", target):
            name, _, anchor = target.partition("#")
            yield target, (page.parent / name).resolve() if name else page, anchor


def unknown_modules(page: Path, text: str) -> Iterator[str]:
    """Modules of ours, and what they are said to hold, that a page or a docstring names and nobody finds."""
    for name in dict.fromkeys(found["name"] for found in MODULE.finditer(FENCE.sub("", text))):
        parts = re.split("[./]", name)
        if (PACKAGE / parts[0]).is_dir() and parts[-1] not in {"md", "toml"} and not holds(PACKAGE, parts):
            yield f"{page.relative_to(ROOT)}: `{name}` is not in the source"


def unknown_neighbours(module: Path, source: str) -> Iterator[str]:
    """Names that a module gives as its neighbours, and that nothing has: no folder or module around it, nor itself."""
    found = NEIGHBOURS.search(source)
    around = [folder for folder in module.parents if PACKAGE in (folder, *folder.parents)]
    for name in dict.fromkeys(NAMED.findall(found[0])) if found else ():
        inside = re.search(rf"\b{name}\b", source[found.end() :]) if found else None
        if not inside and not any((folder / name).is_dir() or (folder / f"{name}.py").exists() for folder in around):
            yield f"{module.relative_to(ROOT)}: its neighbour `{name}` is not in the source"


def holds(folder: Path, parts: Sequence[str]) -> bool:
    """Whether a package holds the module that these parts lead to, and the module the names that follow."""
    first, *rest = parts
    if (folder / first).is_dir():
        return not rest or holds(folder / first, rest)
    module = next(iter(sorted(folder.glob(f"{first}.*"))), None)
    source = (module or folder / "__init__.py").read_text(encoding="utf-8")
    return all(re.search(rf"\b{name}\b", source) for name in (rest if module else parts))


def unreached() -> Iterator[str]:
    """Pages that nobody finds who starts at README and follows links."""
    seen: set[Path] = set()
    waiting = {ROOT / "README.md"}
    while waiting:
        page = waiting.pop()
        seen.add(page)
        text = page.read_text(encoding="utf-8")
        waiting |= {other for _, other, _ in links(page, text) if other.suffix == ".md" and other.exists()} - seen
    yield from (f"{page.relative_to(ROOT)}: no link leads to it" for page in pages() if page not in seen)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as hosts of Markdown make them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


def undocumented() -> Iterator[str]:
    """Environment variables that the source reads and no reference page names."""
    told = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    for name in sorted(set(VARIABLE.findall(source))):
        if f"`{name}`" not in told:
            yield f"environment variable {name} is read but not in docs/reference"


def main() -> int:
    """Writes the blocks, or checks everything."""
    if sys.argv[1:] == ["--check"]:
        found = list(problems())
        print("\n".join(found) or "docs: current, every link resolves")
        return int(bool(found))
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (new := made(text)) != text:
            page.write_text(new, encoding="utf-8")
            print(f"docs: wrote {page.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
