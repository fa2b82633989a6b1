"""What a request names: files, symbols, errors, phrases and plain words, each by a rule that can be read.

A capital letter alone makes no identifier. Lists keep the order of the text, without repetitions in any case.
Neighbours: retrieval of history and of project source start from here.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from backstory.records.base import Record
from backstory.text.accents import stopword

MOST_CHARS = 20_000
MOST_POINTING = 500
_BACKTICKED = re.compile(r"`([^`\n]{2,160})`")
_DOUBLE = re.compile(r'"([^"\n]{4,200})"|\u201c([^\u201d\n]{4,200})\u201d')
_SINGLE = re.compile(r"(?<!\w)'([^'\n]{4,200})'(?!\w)")
_FILE = re.compile(
    r"(?:(?<![\w/\\.-])|(?<=file://)|(?<=file:///))(?:[A-Za-z]:[\\/]|\.{0,2}[\\/]|~/)?(?:[\w.@+-]{1,100}[\\/]){0,30}[\w.@+-]{0,100}\.[A-Za-z0-9]{1,12}(?![\w/\\])"
)
# A bare `name.suffix` is a file only with a suffix that files have; `Session.send` is not one.
_BARE = re.compile(
    r"\.(?:py[iwx]?|[cm]?[jt]sx?|go|rs|java|kts?|[ch](?:c|h|pp|xx)?|mm?|cs|rb|php|swift|scala|sql|sh|bash|zsh|ps1|lua|pl|pm|exs?|"
    r"clj|dart|r|jl|vue|svelte|proto|zig|md|rst|txt|json5?|jsonl|ya?ml|toml|ini|cfg|conf|xml|html?|s?css|less|csv|tsv|lock|"
    r"gradle|cmake|mk|tf|env|log|diff|patch|ipynb|graphql)$",
    re.IGNORECASE,
)
_PLACE = re.compile(r'^(?:["\']?[,:]?[ \t]*(?:on |at )?lines? |\((?=\d)|:|#L)(\d{1,7})')
_NUMBERED = re.compile(r"[:(]\d|\blines? \d|#L\d")
_TRACE = re.compile(r'^Traceback \(most recent call last\):\n|^[ \t]*File (?=")', re.MULTILINE)
_LINES = re.compile(r"(?<=\s)(?::|#L)\d+(?:-L?\d+)?")
_QUALIFIED = re.compile(r"(?<![\w./])[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*){1,8}")
_FLAG = re.compile(r"(?:(?<=\s)|^)--[A-Za-z][\w-]{1,60}", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_$][\w$-]{2,100}")
_WORDS = re.compile(r"[^\W_]\w*")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|_\w|\w_|\$")
_ERROR = re.compile(
    r"\b(?:(?:ERR|ERROR|SQLITE|HTTP|CS|TS|E)[-_]?[A-Z0-9]{2,}(?:_[A-Z0-9]+)*|ENOENT|EACCES|EPERM|EEXIST|EPIPE|ECONNRESET|"
    r"ECONNREFUSED|ETIMEDOUT|SIG[A-Z]{3,6}|[A-Z]\w{2,60}(?:Error|Exception|Warning))\b"
)
_KEYWORD = re.compile(r"[^\W_][\w-]{3,}")
_PROSE = frozenset({"e.g", "i.e", "a.k.a"})


class FileMention(Record, frozen=True):
    """A file a text names, with `/` as separator, and the line it points at."""

    path: str
    line: int | None = None


class Task(Record, frozen=True):
    """What a request names. `identifiers` are the exact things, `terms` all that is worth looking up."""

    objective: str = ""
    files: tuple[FileMention, ...] = ()
    symbols: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Files, symbols and errors, at most 24."""
        return _unique([*(file.path for file in self.files), *self.symbols, *self.errors], 24)

    @property
    def terms(self) -> tuple[str, ...]:
        """Identifiers, phrases and keywords, at most 24."""
        return _unique([*self.identifiers, *self.phrases, *self.keywords], 24)


def describe(text: str) -> Task:
    """The descriptor of a request; of a text beyond 20,000 characters only the beginning is read."""
    return _described(text.strip()[:MOST_CHARS])


@lru_cache(maxsize=8)  # memory, history and project source ask for the same request, call after call of a turn
def _described(text: str) -> Task:
    files = _files(text)
    named = {file.path.lower() for file in files}
    backticked = _unique(_BACKTICKED.findall(text), 64)
    errors = _unique(_ERROR.findall(text), 12)
    qualified = [name for name in _QUALIFIED.findall(text) if name.lower() not in named and name.lower() not in _PROSE]
    words = [word.strip("-") for word in _WORD.findall(text) if _HUMP.search(word) and not stopword(word)]
    spoken = [span.rstrip("()") for span in backticked if not re.search(r"\s", span) and span.lower() not in named]
    spoken += [span for span in backticked if " " in span and len(span) < 4]
    return Task(
        objective=text[:500],
        files=files,
        symbols=_unique([*spoken, *qualified, *_FLAG.findall(text), *words], 20),
        errors=errors,
        phrases=_phrases(text, backticked),
        keywords=_unique((word for word in _KEYWORD.findall(text.lower()) if _telling(word)), 20),
    )


def pointing(task: Task, text: str) -> bool:
    """Whether a text names files and says nothing else that could be looked for: `src/a.py:12`, "show src/a.py"."""
    if not task.files or len(text) > MOST_POINTING:
        return False
    return all(map(stopword, _WORDS.findall(_LINES.sub(" ", _FILE.sub(" ", text)))))


def without_places(text: str) -> str:
    """A text where of a file and a line in it, which `describe` tells, the name of the file is left, as in a trace.

    The folders of such a path are those of whoever ran the program.
    """
    if not _NUMBERED.search(text):
        return text
    text = _TRACE.sub("", text)
    kept, end = [], 0
    for match in _FILE.finditer(text):
        if place := _PLACE.match(text[match.end() : match.end() + 20]):
            kept += [text[end : match.start()], match[0].replace("\\", "/").rpartition("/")[2].rpartition(".")[0]]
            end = match.end() + place.end()
    return "".join([*kept, text[end:]])


def _files(text: str) -> tuple[FileMention, ...]:
    found: dict[str, FileMention] = {}
    for match in _FILE.finditer(text):
        path = match[0].replace("\\", "/")
        if "/" not in path and not _BARE.search(path):
            continue
        if not re.search(r"[A-Za-z_]", path.rpartition("/")[2].rpartition(".")[0]) and not path.startswith("."):
            continue
        place = _PLACE.match(text[match.end() : match.end() + 20])
        line = int(place[1]) if place else None
        known = found.get(path.lower())
        if known is None or (known.line is None and line is not None):
            found[path.lower()] = FileMention(path, line)
        if len(found) == 16:
            break
    return tuple(found.values())


def _phrases(text: str, backticked: Iterable[str]) -> tuple[str, ...]:
    double = [first or second for first, second in _DOUBLE.findall(text)]
    spans = [span for span in backticked if " " in span.strip()]
    return _unique([*double, *_SINGLE.findall(text), *spans], 8)


def _telling(word: str) -> bool:
    return not stopword(word) and not word.replace("-", "").replace("_", "").isdigit()


def _unique(items: Iterable[str], most: int) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for item in items:
        if item:
            seen.setdefault(item.lower(), item)
        if len(seen) == most:
            break
    return tuple(seen.values())
