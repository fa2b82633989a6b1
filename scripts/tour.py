"""Shows what Backstory does: on the sessions of this machine or, where there are none, on the samples.

Every step is an ordinary command, printed before it runs. Samples go into a throw-away data folder, `.demo`; own
sessions go into the usual one, so that the next command finds them.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from backstory.engine.indexing.places import added_places, default_places
from backstory.engine.open import open_engine
from backstory.engine.operations import OPERATIONS
from backstory.errors import SourceError
from backstory.sources import registry
from backstory.sources.discover import Candidate, walk
from backstory.sources.recognise import recognise
from backstory.text.stopwords import ENGLISH, MORE_ENGLISH

ROOT = Path(__file__).resolve().parent.parent
DEMO = ".demo"
SAMPLES = ("claude-code", "codex", "gemini", "pi")
QUESTION = "why did we drop the retry"
SOME_UNREADABLE = 3
PLAN_LINES = 40


class Tour:
    """Runs commands with one environment and shows them."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = {**env, "BACKSTORY_PAGER": "cat"}

    def show(self, *words: str, lines: int | None = None) -> None:
        """Prints a command and its output, cut after some lines if that is asked for; stops the tour when it fails."""
        print(f"\n$ backstory {shlex.join(words)}", flush=True)
        command = [sys.executable, "-m", "backstory", *words]
        done = subprocess.run(
            command, env=self._env, cwd=ROOT, check=False, encoding="utf-8", stdout=lines and subprocess.PIPE
        )
        if lines:
            shown = done.stdout.splitlines()
            print("\n".join([*shown[:lines], *(["…"] if len(shown) > lines else [])]))
        if done.returncode not in {0, SOME_UNREADABLE}:
            sys.exit(done.returncode)

    def ask(self, *words: str) -> Any:
        """The answer of a command as data, without showing it."""
        command = [sys.executable, "-m", "backstory", *words, "--json"]
        done = subprocess.run(command, env=self._env, cwd=ROOT, check=False, stdout=subprocess.PIPE)
        if done.returncode not in {0, SOME_UNREADABLE}:
            sys.exit(done.returncode)
        return msgspec.json.decode(done.stdout)


def any_session() -> bool:
    """Whether a session of any agent lies on this machine; stops at the first one and writes nothing."""
    sources = [registry.load(name) for name in registry.names()]
    suffixes = tuple({suffix for source in sources for suffix in source.location.suffixes})
    with open_engine() as engine:
        places = [*default_places(engine), *added_places(engine)]
    for place in places:
        for found in walk(place, suffixes):
            try:
                if isinstance(found, Candidate) and recognise(found.path, sources):
                    return True
            except SourceError:
                continue
    return False


def query_from(titles: Sequence[str | None]) -> str:
    """A few telling words of the first title that has at least two."""
    for title in titles:
        words = [
            word for word in re.findall(r"[^\W\d_]{4,}", title or "") if word.lower() not in ENGLISH | MORE_ENGLISH
        ]
        if len(words) > 1:
            return " ".join(words[:4])
    return "error"


def main() -> int:
    """The tour, from indexing to the last search; an argument names another folder than `.demo`."""
    env = dict(os.environ)
    demo = sys.argv[1] if sys.argv[1:] else DEMO
    own = any_session()
    if own:
        tour = Tour(env)
        tour.show("index")
        question = query_from([row["title"] for row in tour.ask("sessions", "--no-sync")["items"]])
    else:
        print("No agent sessions on this machine, so the tour uses the samples, in a data folder of their own.")
        print(f"\n$ export BACKSTORY_HOME={demo}")
        shutil.rmtree(ROOT / demo, ignore_errors=True)
        tour = Tour({**env, "BACKSTORY_HOME": str(ROOT / demo)})
        tour.show("index", *(word for name in SAMPLES for word in ("--root", f"{name}=samples/{name}")))
        question = QUESTION
    tour.show("sessions", "--limit", "8", "--no-sync")
    if any(operation.name == "plan" for operation in OPERATIONS):
        best = tour.ask("search", "--sessions", "--limit", "1", "--no-sync", question)["items"]
        if best:
            tour.show("plan", f"{best[0]['source']}:{best[0]['session_id']}", lines=PLAN_LINES)
    tour.show("search", "--sessions", "--limit", "2", question)
    tour.show("search", "--limit", "3", question)
    print(f"\nNow you: {'' if own else f'BACKSTORY_HOME={demo} '}.venv/bin/backstory search …")
    return 0


if __name__ == "__main__":
    sys.exit(main())
