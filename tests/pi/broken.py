"""Interpreters that do not do what they should, to be noted in place of the real one; each fails in one way."""

import json
import sys
from pathlib import Path

from tests.pi.driver import Person

_HELLO = '{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"version":"0","guarded":false}}'
_SCRIPTS = {
    "exits": "sys.exit(7)",
    "hangs": "signal.pause()",
    "deaf": f"print('{_HELLO}', flush=True)\nwhile True: time.sleep(60)",
    "garbage": "print('this is no JSON', flush=True)\nsys.stdin.read()",
    "flood": "while True: print('x' * 100_000, end='', flush=True)",
    "dies in a call": f"print('{_HELLO}', flush=True)\nwhile b'\"context\"' not in sys.stdin.buffer.readline(): pass",
    "refuses": """
for line in sys.stdin.buffer:
    id_ = json.loads(line).get('id')
    error = {'code': -32603, 'message': 'no'}
    if id_: print(json.dumps({'jsonrpc': '2.0', 'id': id_, 'error': error}), flush=True)
""",
    "talks nonsense": """
for line in sys.stdin.buffer:
    id_ = json.loads(line).get('id')
    result = {'protocol': 1, 'edits': [{'keep': 999}]}
    if id_: print(json.dumps({'jsonrpc': '2.0', 'id': id_, 'result': result}), flush=True)
""",
}
WAYS = (*_SCRIPTS, "missing")


def break_(person: Person, way: str) -> None:
    """From now on the extension starts something that fails in this way."""
    note = person.agent / "extensions" / "backstory" / "backstory.json"
    written = json.loads(note.read_text(encoding="utf-8"))
    path = person.root / "python"
    if way != "missing":
        script = f"#!{sys.executable}\nimport json, signal, sys, time\n{_SCRIPTS[way]}\n"
        path.write_text(script, encoding="utf-8")
        path.chmod(0o755)
    note.write_text(json.dumps(written | {"python": str(path)}), encoding="utf-8")


def write_project(person: Person) -> None:
    """A few files to work on."""
    (person.work / "notes.md").write_text("# Notes\n\n- alpha: one\n- beta: two\n", encoding="utf-8")
    Path(person.work / "other.txt").write_text("other\n" * 20, encoding="utf-8")
