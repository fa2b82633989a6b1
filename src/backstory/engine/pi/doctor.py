"""Finds out, in plain words, what keeps Backstory from working inside Pi: programs, files, the process, the store."""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator

import msgspec

import backstory
from backstory.engine import settings
from backstory.engine.open import Engine
from backstory.engine.pi.extension import places
from backstory.engine.upkeep.health import health
from backstory.errors import BackstoryError
from backstory.records.extension import Diagnosis, DoctorRequest, PlaceRow
from backstory.records.protocol import PROTOCOL
from backstory.records.upkeep import Check, HealthRequest

NODE = (22, 19)
TESTED = ("0.84.3", "1.6.0")
PATIENCE = 15
_RANK = ("ok", "warn", "fail")
_NUMBERS = re.compile(r"(\d+)\.(\d+)")


def doctor(engine: Engine, _request: DoctorRequest) -> Diagnosis:
    """All checks; none of them changes anything."""
    checks = tuple(_checks(engine))
    return Diagnosis(max((one.status for one in checks), key=_RANK.index), checks)


def _checks(engine: Engine) -> Iterator[Check]:
    yield _node(engine)
    yield _pi(engine)
    rows = list(places(engine))
    yield from _extension(rows)
    for python in sorted({row.python for row in rows if row.python}):
        yield _process(engine, python)
    yield from _settings(engine)
    yield from _store(engine)


def _node(engine: Engine) -> Check:
    version = _version(engine, "node")
    if version is None:
        return Check("node", "warn", "there is no `node` on the PATH here; Pi needs Node 22.19 or newer")
    numbers = _NUMBERS.search(version)
    if numbers and (int(numbers[1]), int(numbers[2])) < NODE:
        return Check("node", "warn", f"the `node` on the PATH is {version}; Pi needs Node 22.19 or newer")
    return Check("node", "ok", version)


def _pi(engine: Engine) -> Check:
    version = _version(engine, "pi")
    if version is None:
        return Check("pi", "warn", "there is no `pi` on the PATH here, or it does not start")
    if version.lstrip("v") in TESTED:
        return Check("pi", "ok", version)
    return Check("pi", "ok", f"{version} (tested with {' and '.join(TESTED)})")


def _version(engine: Engine, program: str) -> str | None:
    path = shutil.which(program)
    return None if path is None else _first_line(engine, [path, "--version"])


def _first_line(engine: Engine, command: list[str]) -> str | None:
    env = {**engine.env, "PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}
    try:
        done = subprocess.run(  # noqa: S603 - a program from the person's own PATH or from our note
            command, env=env, capture_output=True, timeout=PATIENCE, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return None
    told = (done.stdout or done.stderr).decode("utf-8", "replace").strip().splitlines()
    return told[0].strip() if told else None


def _extension(rows: list[PlaceRow]) -> Iterator[Check]:
    for row in rows:
        update = f"pi install --folder {row.folder}" if row.packed else "pi install"
        words = {
            "current": ("ok", f"version {row.version} in {row.folder}, {len(row.tools)} tools for the model"),
            "outdated": ("warn", f"{row.folder} holds version {row.version}; `backstory {update}` updates it"),
            "edited": ("warn", f"{row.folder} was changed by hand; `backstory {update} --force` restores it"),
            "foreign": ("fail", f"{row.folder} holds something of the same name that is not ours"),
            "bare": ("warn", f"{row.folder} lacks the note of what to start; `backstory {update}` writes it"),
            "off": ("warn", f"the settings of Pi name {row.folder}, but load no extension of it"),
        }
        if row.state in words:
            yield Check(row.name, *words[row.state])
    held = [row for row in rows if row.state in {"current", "outdated", "edited", "bare"}]
    if not held:
        yield Check("extension", "fail", "it is not installed; `backstory pi install` does that")
    if len(held) > 1:
        yield Check(
            "extension", "warn", f"it is installed {len(held)} times; only the one that Pi loads first will work"
        )


def _process(engine: Engine, python: str) -> Check:
    """Whether the noted interpreter starts, holds this version, and answers."""
    if not os.access(python, os.X_OK):
        return Check("python", "fail", f"{python} is not there any more; `backstory pi install` notes another one")
    try:
        version = msgspec.json.decode(_greeted(engine, python))["result"]["version"]
    except (OSError, msgspec.DecodeError, LookupError, TypeError):
        told = f"{python} -m backstory rpc gave no answer within {PATIENCE} s; is Backstory still installed there?"
        return Check("python", "fail", told)
    if version != backstory.__version__:
        told = f"{python} holds Backstory {version}, this is {backstory.__version__}; run `backstory pi install` there"
        return Check("python", "warn", told)
    return Check("python", "ok", f"{python} answers")


def _greeted(engine: Engine, python: str) -> bytes:
    """The first line that the process writes; empty when it writes none in time."""
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": PROTOCOL}}
    command = [python, "-P", "-m", "backstory", "rpc"]
    with subprocess.Popen(  # noqa: S603 - the interpreter that our own note names
        command, env=dict(engine.env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        patience = threading.Timer(PATIENCE, process.kill)
        patience.start()
        try:
            line = b""
            if process.stdin is not None and process.stdout is not None:
                process.stdin.write(msgspec.json.encode(hello) + b"\n")
                process.stdin.flush()
                line = process.stdout.readline()
        finally:
            patience.cancel()
            process.kill()
    return line


def _settings(engine: Engine) -> Iterator[Check]:
    loaded = settings.effective(engine, os.getcwd())
    for warning in loaded.warnings:
        yield Check("settings", "warn", warning)
    if loaded.config.mode != "active":
        yield Check("settings", "warn", f'mode is "{loaded.config.mode}", so no call is changed')
    elif not loaded.warnings:
        yield Check("settings", "ok", "nothing is wrong with them")


def _store(engine: Engine) -> Iterator[Check]:
    try:
        yield from health(engine, HealthRequest()).checks
    except BackstoryError as error:
        yield Check("store", "fail", error.helpful)
