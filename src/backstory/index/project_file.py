"""Makes of one file's bytes what the project index stores: chunks, declarations, words; or the reason to leave it out.

No database, no file system. Neighbours: `project` decodes and parses, `privacy` knows credentials and markers,
`index.project_job` reads the bytes and stores the result.
"""

from codecs import BOM_UTF8
from itertools import accumulate

from backstory.privacy import classify, secrets
from backstory.project.chunk import chunks
from backstory.project.guards import decoded
from backstory.project.symbols import grammar_of, symbols
from backstory.records.project import Snippet, Symbol
from backstory.store.project.rows import CUT, FileContent
from backstory.text import tokens
from backstory.text.fold import spaced
from backstory.text.parts import camel_parts

CHUNK_CHARS = 20_000


def content(path: str, data: bytes) -> tuple[FileContent | None, str | None]:
    """What to store of a file and None, or None and why it is left out (`binary`, `encoding`, `sensitive`)."""
    text, reason = decoded(data)
    if text is None:
        return None, reason
    shown = secrets.presentable(text)
    if shown is None:
        return None, "sensitive"
    data = data.removeprefix(BOM_UTF8)
    plain = not classify.marked(shown) and shown.encode() == data
    return _structure(path, shown, data if plain else b""), None


def _structure(path: str, text: str, data: bytes) -> FileContent:
    """The content of a readable text, and of its bytes if these are what is shown.

    A text with privacy markers gets plain windows, as a marker could be cut.
    """
    found = declared(path, text)
    lines = text.split("\n")
    ends = list(accumulate(map(len, lines if text.isascii() else data.split(b"\n")))) if data else []
    snippets = []
    pieces = []
    for chunk in chunks(lines, found):
        first, last = chunk.start - 1, chunk.end
        whole = "\n".join(lines[first:last])
        part = whole[:CHUNK_CHARS]
        # Each line before has a line break as well.
        begin, stop = ((ends[first - 1] if first else 0) + first, ends[last - 1] + last - 1) if ends else (0, 0)
        snippets.append(Snippet(chunk.start, last, chunk.symbol, chunk.kind, tokens.count(whole), begin, stop))
        pieces.append(f"{spaced(part)}\n{camel_parts(part)} {CUT}\n")
    return FileContent(snippets, found, f"{path} {camel_parts(path)}", "".join(pieces))


def declared(path: str, text: str) -> list[Symbol]:
    """The declarations of a text; none when its language is unknown, it cannot be parsed or it carries markers."""
    grammar = grammar_of(path)
    if grammar is None or classify.marked(text):
        return []
    return symbols(text, grammar) or []


def language(path: str) -> str | None:
    """The language a file is parsed as."""
    grammar = grammar_of(path)
    return grammar.language if grammar else None
