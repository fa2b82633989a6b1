"""Shows a long text through the person's pager; loaded only when there is one to show. `terminal` decides when.

A pager of the person's own gets what less needs to show colours and to leave at the end of a short text, unless the
person has set that.
"""

import subprocess
from collections.abc import Mapping
from signal import SIG_IGN, SIGINT, signal

USUAL = "less -FRX"
# What less answers when it was left by an interrupt.
LEFT = 2


def shown(text: bytes, env: Mapping[str, str]) -> bool:
    """Whether a pager showed the text; false where none could be started or it failed, so that nobody has seen it."""
    chosen = env.get("BACKSTORY_PAGER") or env.get("PAGER") or USUAL
    with subprocess.Popen(  # noqa: S602 - the command is the person's own, for a shell
        chosen, shell=True, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL if chosen == USUAL else None,
        env={"LESS": "FRX", **env},
    ) as pager:  # fmt: skip
        # An interrupt is the pager's to answer: less stops a search with it.
        before = signal(SIGINT, SIG_IGN)
        try:
            pager.communicate(text)
        finally:
            signal(SIGINT, before)
    return pager.returncode <= 0 or pager.returncode == LEFT
