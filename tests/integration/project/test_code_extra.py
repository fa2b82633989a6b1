"""The optional extra `code`: better where it is installed, unnoticed where it is not."""

import sys
from pathlib import Path

import pytest

from backstory.project.symbols import grammar_of, symbols, trees

FOLDER = Path(__file__).parents[2] / "golden" / "outlines"
SAMPLES = sorted(path for path in FOLDER.iterdir() if path.suffix in trees.GRAMMARS)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.suffix[1:])
def test_trees_agree_with_lines_where_both_look(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = trees.outline(path.name, text)
    if found is None:
        pytest.skip("the extra `code` is not installed")
    grammar = grammar_of(path.name)
    assert grammar is not None
    lines = {
        (one.kind, one.qualified) for one in symbols(text, grammar) or () if one.kind not in {"variable", "namespace"}
    }
    shown = {(one.kind, one.qualified.removeprefix("demo.").removeprefix("Demo.App.")) for one in found}
    assert lines <= shown
    assert not any("notme" in one.name.lower() or "norme" in one.name.lower().replace("_", "") for one in found)


@pytest.mark.parametrize("text", ["", "}}}}((((", "class", '"' * 500, "struct {" * 2000, "\0\0", "template<" * 300])
@pytest.mark.parametrize("suffix", sorted(trees.GRAMMARS))
def test_any_text_is_survived(suffix: str, text: str) -> None:
    found = trees.outline("a" + suffix, text)
    assert found is None or len(found) <= trees.MOST_SYMBOLS


def test_without_the_library_nothing_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    trees.load_parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    assert trees.outline("a.c", "int main(void) { return 0; }\n") is None
    trees.load_parser.cache_clear()
