"""Makes the trees of the project benchmarks: real files of installed packages, and many more derived from them."""

import os
import random
import re
import site
import subprocess
import sysconfig
from pathlib import Path

SUFFIXES = (".py", ".pyi", ".h", ".c", ".js", ".ts", ".md", ".rst", ".sh", ".rs", ".go")
MAX_BYTES = 400_000
_WORD = re.compile(r"[a-z_]{5,}")


def sources(extra: tuple[str, ...] = ("/usr/lib/node_modules", "/usr/include", "/usr/lib/python3")) -> list[Path]:
    """Source files of installed packages in path order, without duplicates."""
    roots = [sysconfig.get_paths()["stdlib"], *site.getsitepackages(), *extra]
    found: dict[str, Path] = {}
    for root in roots:
        for folder, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = Path(folder, name)
                if name.endswith(SUFFIXES) and not path.is_symlink() and 0 < path.stat().st_size <= MAX_BYTES:
                    found.setdefault(os.path.realpath(path), path)
    return [found[key] for key in sorted(found)]


def real_tree(target: Path, count: int) -> int:
    """Copies `count` installed source files below `target` as a Git work tree; the bytes copied."""
    files = sources()
    step = max(1, len(files) // count)
    total = 0
    for number, path in enumerate(files[::step][:count]):
        parts = [
            part for part in path.parts[-4:] if part not in {"/", "bin", "build", "dist", "vendor", "obj", "target"}
        ]
        place = target / f"p{number % 97:02d}" / Path(*parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        place.write_bytes(data)
        total += len(data)
    commit(target)
    return total


def derived_tree(target: Path, count: int, size: int = 6_000) -> int:
    """Writes `count` files made of stretches of installed ones, with names of their own; the bytes written."""
    chance = random.Random(7)
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sources()[:3000]]
    texts = [text for text in texts if len(text) > 500]
    total = 0
    for number in range(count):
        text = chance.choice(texts)
        start = text.find("\n", chance.randrange(max(1, len(text) - size))) + 1
        part = text[start : start + chance.randrange(size // 3, size * 2)]
        words = sorted(set(_WORD.findall(part)))
        for word in chance.sample(words, min(3, len(words))):
            part = re.sub(rf"\b{word}\b", f"{word}_{number % 1999}", part)
        place = target / f"area{number % 61:02d}" / f"unit{number % 613:03d}" / f"module_{number:05d}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        data = part.encode("utf-8", "replace")
        place.write_bytes(data)
        total += len(data)
    commit(target)
    return total


def commit(target: Path) -> None:
    """Makes the tree a Git repository with one commit."""
    names = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "gc.auto=0"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Everything"]):
        subprocess.run(["git", *names, *arguments], cwd=target, check=True, capture_output=True)
