"""Which files stay out of the index: by name before anything is read, by content afterwards.

Everything here is a decision about a path or bytes; it opens nothing. Whether text holds a credential is decided by the
one shared detector of `privacy`, which the indexer calls, so that this package needs to know nothing of it.
"""

import re

IGNORED_FOLDERS = (  # noqa: SIM905 - a list of quoted words is no easier to read
    ".git .hg .svn .pi .cache .idea .vscode node_modules vendor dist .next .nuxt .venv "
    "venv __pycache__ .tox .mypy_cache .ruff_cache .pytest_cache"
).split()
# What tools write there nobody hands to Git, and what Git tracks there are sources that are called so.
OUTPUT_FOLDERS = ["bin", "build", "coverage", "obj", "target"]
ASSETS = (  # noqa: SIM905 - a list of quoted words is no easier to read
    "7z a avi bmp class db dll dylib eot exe flac gif gz ico jar jpeg jpg lib mov mp3 mp4 o ogg otf pdf png psd pyc "
    "pyd sqlite sqlite3 so tar tgz ttf wasm wav webm webp whl woff woff2 xz zip zst map min.js min.css"
).split()
LOCKS = (  # noqa: SIM905 - a list of quoted words is no easier to read
    "bun.lock bun.lockb cargo.lock composer.lock flake.lock gemfile.lock go.sum package-lock.json packages.lock.json "
    "pdm.lock pipfile.lock pnpm-lock.yaml poetry.lock uv.lock yarn.lock npm-shrinkwrap.json"
).split()
SENSITIVE_SUFFIXES = ["key", "pem", "p12", "pfx", "jks", "keystore"]
SENSITIVE_NAMES = (
    r"\.env(?:rc|\.[^/]*)?|\.netrc|\.npmrc|\.pypirc|credentials(?:\.(?:json|ya?ml))?|id_(?:dsa|ecdsa|ed25519|rsa)|"
    r"secrets\.(?:json|ya?ml)|\.git-credentials|\.htpasswd|\.pgpass|\.dockercfg"
)
SNIFFED_BYTES = 8192
LONGEST_PATH = 1024


def _words(words: list[str]) -> str:
    return "|".join(map(re.escape, words))


def _excluded(folders: list[str]) -> re.Pattern[str]:
    return re.compile(
        rf"(?:^|/)(?:(?P<folder>{_words(folders)})/"
        rf"|(?P<sensitive>(?:{SENSITIVE_NAMES}|[^/]*\.(?:{_words(SENSITIVE_SUFFIXES)}))\Z)"
        rf"|(?P<lock>(?:{_words(LOCKS)})\Z))"
        rf"|(?P<asset>\.(?:{_words(ASSETS)})\Z)",
        re.IGNORECASE,
    )


_EXCLUDED = {True: _excluded(IGNORED_FOLDERS), False: _excluded([*IGNORED_FOLDERS, *OUTPUT_FOLDERS])}
_CONTROL = bytes(range(7)) + bytes(range(14, 32))


def excluded_path(path: str, *, tracked: bool = False) -> str | None:
    """Why a relative path, which Git may be known to track, stays out, or None.

    Reasons are `folder`, `sensitive`, `lock`, `asset` and `name`.
    `name` is a path that is not valid UTF-8, too long, absolute, or one that climbs out of the root.
    """
    match = _EXCLUDED[tracked].search(path)
    if match is not None:
        return match.lastgroup
    if len(path) > LONGEST_PATH or path.startswith("/") or (".." in path and ".." in path.split("/")):
        return "name"
    return None if path.isascii() or _encodable(path) else "name"


def ignored_folder(name: str) -> bool:
    """Whether a folder of this name is never entered where Git does not say what it tracks."""
    return name.lower() in _FOLDERS


_FOLDERS = frozenset([*IGNORED_FOLDERS, *OUTPUT_FOLDERS])


def _encodable(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def decoded(data: bytes) -> tuple[str | None, str | None]:
    """The text of a file and None, or None and why it is no text (`binary`, `encoding`).

    Binary is a NUL or more than 5 % control bytes in the first 8 KiB; up to max(2, length / 200) malformed sequences
    are replaced.
    """
    head = data[:SNIFFED_BYTES]
    if b"\0" in head or (len(head) - len(head.translate(None, _CONTROL))) * 20 > len(head):
        return None, "binary"
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", "replace")
    if text.count("\ufffd") > max(2, len(text) // 200):
        return None, "encoding"
    return text, None
