"""What is known of the terminal: whether it is one, its width, colour, pager and progress line."""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import TextIO

from backstory.text.charts import beginning, clipped, ending, hung

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
BAR = 24
# Columns and lines of a terminal that does not say, and the columns that text is broken at for a pipe.
USUAL = (80, 24)
PIPED = (100, 40)
# Control characters, apart from line breaks and tabs, and those that turn the direction of what follows, or one of our
# own styles as a whole.
_CODE = f"(?:0|{'|'.join(STYLES.values())})"
_CONTROL = rf"(?P<style>\x1b\[{_CODE}(?:;{_CODE})*m)|\r(?=\n)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
_RANGES = ((0x00, 0x09), (0x0B, 0x20), (0x7F, 0xA0), (0x202A, 0x202F), (0x2066, 0x206A))
_CONTROLS = frozenset(chr(code) for ends in _RANGES for code in range(*ends))
# Of these, what JSON does not escape by itself.
_STEERING = "[\x80-\x9f\u202a-\u202e\u2066-\u2069]"


class Terminal:
    """Writes to a person or to a pipe; colour, pager and progress only where there is a person.

    `width` is how many cells a line has, `narrow` whether lines have to fit in them: what a pipe gets is never cut.
    """

    def __init__(self, out: TextIO, err: TextIO, env: Mapping[str, str]) -> None:
        self._out = out
        self._err = err
        self._env = env
        self.interactive = out.isatty()
        self.colour = self.interactive and not env.get("NO_COLOR") and env.get("TERM") != "dumb"
        self.narrow = self.interactive
        self.width, self._height = _size(out, env) if self.interactive else PIPED
        self._told = False

    def style(self, text: str, *names: str) -> str:
        """The text in a style, or plain where colour is not wanted."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(STYLES[name] for name in names)}m{text}\x1b[0m"

    def clip(self, text: str, most: int) -> str:
        """The text on one line; on a terminal cut to `most` cells."""
        return clipped(text, most) if self.narrow else " ".join(text.split())

    def end(self, path: str, most: int) -> str:
        """A path; on a terminal only its last `most` cells."""
        return ending(path, most) if self.narrow else path

    def hang(self, line: str) -> str:
        """A line; on a terminal broken between words, with what follows below its last column."""
        return hung(line, self.width) if self.narrow else line

    def note(self, text: str) -> str:
        """A line that tells what the reader would otherwise not know."""
        return self.style(self.hang(f"note: {text}"), "yellow")

    def write(self, text: str) -> None:
        """Writes to standard output; what the encoding lacks is replaced."""
        encoding = self._out.encoding or "utf-8"
        self._out.write(text.encode(encoding, "replace").decode(encoding))
        self._out.flush()

    def data(self, text: str) -> None:
        """Writes JSON; what steers a terminal is escaped, and all beyond ASCII where the encoding is not UTF-8."""
        if not text.isascii():
            utf8 = (self._out.encoding or "utf-8").lower().replace("-", "") == "utf8"
            text = re.sub(_STEERING, _escape, text) if utf8 else "".join(map(_escaped, text))
        self.write(text)

    def page(self, text: str) -> None:
        """Writes a long text through the person's pager, a short one directly, without controls that logs hold."""
        text = harmless(text, styles=self.colour)
        if not self.interactive or text.count("\n") < self._height or not self._paged(text):
            self.write(text)

    def _paged(self, text: str) -> bool:
        self._out.flush()
        encoded = text.encode(self._out.encoding or "utf-8", "replace")
        shown: bool = import_module("backstory.surfaces.cli.pager").shown(encoded, self._env)
        return shown

    def complain(self, text: str) -> None:
        """A sentence for a person on standard error: one line, on a terminal broken between words."""
        self.clear_progress()
        line = f"backstory: {text}"
        self.tell(f"{hung(line, _size(self._err, self._env)[0]) if self._err.isatty() else line}\n")

    def tell(self, text: str) -> None:
        """Lines for a person on standard error; where nobody can be told, the exit code says enough."""
        with suppress(OSError):
            self._err.write(harmless(text, styles=False))
            self._err.flush()

    def progress(self, *, quiet: bool) -> Callable[[int, int, int, int], None]:
        """A progress line on standard error, when that is a terminal."""
        if quiet or not self._err.isatty():
            return lambda *_: None
        return self._show_progress

    def _show_progress(self, done: int, files: int, done_bytes: int, total: int) -> None:
        share = done_bytes / total if total else 1.0
        bar = "█" * int(share * BAR)
        line = f"reading {bar:░<{BAR}} {share:4.0%}  {done}/{files} files, {done_bytes / 1e6:.0f} MB"
        # A line that wraps could not be taken away again.
        self._err.write(f"\r\x1b[2K{beginning(line, _size(self._err, self._env)[0] - 1)}")
        self._err.flush()
        self._told = True

    def clear_progress(self) -> None:
        """Takes the progress line away."""
        if self._told:
            self._err.write("\r\x1b[2K")
            self._err.flush()
            self._told = False


def _size(out: TextIO, env: Mapping[str, str]) -> tuple[int, int]:
    """Columns and lines: what a person set, else what the terminal says, else what terminals used to have."""
    try:
        found = tuple(os.get_terminal_size(out.fileno()))
    except OSError:
        found = (0, 0)
    given = [int(value) if (value := env.get(name, "")).isdecimal() else 0 for name in ("COLUMNS", "LINES")]
    columns, lines = (told or seen or usual for told, seen, usual in zip(given, found, USUAL, strict=True))
    return columns, lines


def harmless(text: str, *, styles: bool) -> str:
    """`text` without characters that steer a terminal; our own styles may stay."""
    if _CONTROLS.isdisjoint(text):
        return text
    return re.sub(_CONTROL, lambda found: _shown(found, styles=styles), text)


def _shown(found: re.Match[str], *, styles: bool) -> str:
    if found["style"]:
        return found["style"] if styles else ""
    return "" if found[0] == "\r" and found.string[found.end() : found.end() + 1] == "\n" else "\ufffd"


def _escape(found: re.Match[str]) -> str:
    return _escaped(found[0])


def _escaped(letter: str) -> str:
    if letter.isascii():
        return letter
    units = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
