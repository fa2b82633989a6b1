"""The extension against the types that both versions of Pi ship."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.pi.driver import NODE, TOOLS, VERSIONS

COMPILER = TOOLS / "typescript" / "node_modules" / "typescript" / "bin" / "tsc"
SOURCES = sorted((Path(__file__).resolve().parents[2] / "src" / "backstory" / "hosts" / "pi").glob("*.ts"))


def test_the_extension_is_typed_right(version: str, tmp_path: Path) -> None:
    if not COMPILER.exists():
        pytest.skip("TypeScript is not below .tools; `make tools` installs it")
    modules = VERSIONS[version] / "node_modules"
    strict = ("noUncheckedIndexedAccess", "noUnusedLocals", "noUnusedParameters", "noImplicitReturns")
    options = dict.fromkeys(("strict", "noEmit", "skipLibCheck", "allowImportingTsExtensions", *strict), True)
    types = modules / "@earendil-works" / "pi-coding-agent" / "dist" / "index.d.ts"
    more = {
        "target": "es2023",
        "module": "esnext",
        "moduleResolution": "bundler",
        "types": ["node"],
        "typeRoots": [str(modules / "@types")],
        "paths": {"@earendil-works/pi-coding-agent": [str(types)]},
    }
    config = tmp_path / "tsconfig.json"
    project = {"compilerOptions": {**options, **more}, "files": [str(source) for source in SOURCES]}
    config.write_text(json.dumps(project), encoding="utf-8")
    done = subprocess.run(
        [str(NODE), str(COMPILER), "-p", str(config)], capture_output=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_the_extension_needs_nothing_but_node_and_pi(source: Path) -> None:
    own = {f'"./{other.name}";' for other in SOURCES}
    imports = [line for line in source.read_text(encoding="utf-8").splitlines() if line.startswith("import ")]
    assert imports
    for line in imports:
        assert '"node:' in line or line.startswith("import type ") or line.split()[-1] in own, line
