"""What the built-in parsers find in one sample per language, pinned line by line.

`BACKSTORY_UPDATE_GOLDEN=1` writes the files anew; a change is for a person to read.
"""

import os
from pathlib import Path

import pytest

from backstory.project.chunk import chunks
from backstory.project.symbols import grammar_of, symbols
from backstory.project.symbols.details import details

FOLDER = Path(__file__).parent / "outlines"
SAMPLES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".txt")


def outline(path: Path) -> str:
    """One line a declaration: lines, kind, qualified name, signature, references; then imports and chunks."""
    text = path.read_text(encoding="utf-8")
    grammar = grammar_of(path.name)
    assert grammar is not None
    found = symbols(text, grammar)
    assert found is not None
    shown = details(text, found, grammar)
    lines = [
        f"{one.symbol.start}-{one.symbol.end} {one.symbol.kind} {one.symbol.qualified} | {one.symbol.signature} | "
        + " ".join(one.references[:8])
        for one in shown
    ]
    lines.append("imports: " + " ".join(shown[0].imports if shown else ()))
    lines.append("chunks: " + " ".join(f"{chunk.start}-{chunk.end}" for chunk in chunks(text.split("\n"), found)))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.suffix[1:])
def test_samples_are_outlined_as_before(path: Path) -> None:
    golden = path.with_name(path.name + ".txt")
    found = outline(path)
    if os.environ.get("BACKSTORY_UPDATE_GOLDEN"):
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")
    lowered = found.lower().replace("_", "")
    assert "notme" not in lowered
    assert "norme" not in lowered
    assert "nope" not in lowered
