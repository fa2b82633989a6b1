"""Fails when a source file grows past its ceiling: 400 lines in src, 600 in tests, bench and scripts. No allow-list."""

import sys
from pathlib import Path

CEILINGS = {"src": 400, "tests": 600, "bench": 600, "scripts": 400}
ENDINGS = {".py", ".ts", ".mjs", ".sql"}

root = Path(__file__).resolve().parent.parent
over = [
    f"{path.relative_to(root)}: {lines} lines, the ceiling is {ceiling}"
    for folder, ceiling in CEILINGS.items()
    for path in sorted((root / folder).rglob("*"))
    if path.suffix in ENDINGS and (lines := len(path.read_bytes().splitlines())) > ceiling
]
print("\n".join(over) or "size: every file is below its ceiling")
sys.exit(bool(over))
