"""What is known of the terminal: whether it is one, its width, colour, pager and progress line."""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TextIO

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
BAR = 24
# Control characters, apart from line breaks and tabs, and those that turn the direction of what follows, or one of our
# own styles as a whole.
_CODE = f"(?:0|{'|'.join(STYLES.values())})"
_CONTROL = rf"(?P<style>\x1b\[{_CODE}(?:;{_CODE})*m)|\r(?=\n)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
_RANGES = ((0x00, 0x09), (0x0B, 0x20), (0x7F, 0xA0), (0x202A, 0x202F), (0x2066, 0x206A))
_CONTROLS = frozenset(chr(code) for ends in _RANGES for code in range(*ends))
# Of these, what JSON does not escape by itself.
_STEERING = "[\x80-\x9f\u202a-\u202e\u2066-\u2069]"


class Terminal:
    """Writes to a person or to a pipe; colour, pager and progress only where there is a person."""

    def __init__(self, out: TextIO, err: TextIO, env: Mapping[str, str]) -> None:
        self._out = out
        self._err = err
        self._env = env
        self.interactive = out.isatty()
        self.colour = self.interactive and not env.get("NO_COLOR") and env.get("TERM") != "dumb"
        size = os.get_terminal_size(out.fileno()) if self.interactive else os.terminal_size((100, 40))
        self.width, self._height = size
        self._told = False

    def style(self, text: str, *names: str) -> str:
        """The text in a style, or plain where colour is not wanted."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(STYLES[name] for name in names)}m{text}\x1b[0m"

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
        if not self.interactive or text.count("\n") < self._height:
            self.write(text)
            return
        pager = self._env.get("BACKSTORY_PAGER") or self._env.get("PAGER") or "less -FRX"
        with os.popen(pager, "w") as stream, suppress(BrokenPipeError):  # noqa: S605
            stream.write(text)

    def complain(self, text: str) -> None:
        """One line for a person on standard error."""
        self.clear_progress()
        self._err.write(f"backstory: {harmless(text, styles=False)}\n")
        self._err.flush()

    def progress(self, *, quiet: bool) -> Callable[[int, int, int, int], None]:
        """A progress line on standard error, when that is a terminal."""
        if quiet or not self._err.isatty():
            return lambda *_: None
        return self._show_progress

    def _show_progress(self, done: int, files: int, done_bytes: int, total: int) -> None:
        share = done_bytes / total if total else 1.0
        bar = "█" * int(share * BAR)
        self._err.write(f"\r\x1b[2Kreading {bar:░<{BAR}} {share:4.0%}  {done}/{files} files, {done_bytes / 1e6:.0f} MB")
        self._err.flush()
        self._told = True

    def clear_progress(self) -> None:
        """Takes the progress line away."""
        if self._told:
            self._err.write("\r\x1b[2K")
            self._err.flush()
            self._told = False


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
