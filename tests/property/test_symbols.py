"""The declaration parsers on drawn source: they never raise, never look inside strings, and stay linear."""

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.project.symbols import GRAMMARS, symbols
from backstory.project.symbols.details import details
from backstory.project.symbols.grammar import Grammar
from backstory.project.symbols.spans import all_spans, multiline_spans

BY_LANGUAGE = {grammar.language: grammar for grammar in GRAMMARS}
# A declaration of NAME, and wrappings in which the same text is data. `§` stands for the body.
DECLARED = {
    "python": "def NAME(x):\n    return x\n",
    "typescript": "function NAME(x) {\n  return x;\n}\n",
    "go": "func NAME(x int) int {\n\treturn x\n}\n",
    "rust": "fn NAME(x: u8) -> u8 {\n    x\n}\n",
    "java": "class NAME {\n    int x;\n}\n",
    "kotlin": "fun NAME(x: Int): Int {\n    return x\n}\n",
    "c": "int NAME(int x) {\n  return x;\n}\n",
    "csharp": "class NAME\n{\n    int x;\n}\n",
    "ruby": "def NAME(x)\n  x\nend\n",
    "php": "function NAME($x) {\n  return $x;\n}\n",
    "swift": "func NAME(x: Int) -> Int {\n    return x\n}\n",
    "sql": "CREATE TABLE NAME (\n  x int\n);\n",
    "shell": "NAME() {\n  echo x\n}\n",
    "markdown": "# NAME\n\ntext\n",
}
BLOCK, LINES = "/*\n§*/\n", "// §"
DATA = {
    "python": ['"""\n§"""\n', "x = '''\n§'''\n", "# §", 'y = f"""{1}\n§"""\n', 'z = "\\\n§"\n'],
    "typescript": [
        BLOCK,
        LINES,
        "const q = `\n§`;\n",
        "const r = `${ `\n§` }`;\n",
        "const s = `${ {a: `\n§`} }\n§`;\n",
        "const t = (s) => { return /[`/]/.test(s); };\nconst u = `\n§`;\n",
        "const v = s.replace(\n  /`/g,\n  `\n§`);\n",
        "const w = `${ s.split(/`/) }\n§`;\n",
    ],
    "go": [BLOCK, LINES, "var q = `\n§`\n"],
    "rust": ["/* /* x */\n§*/\n", LINES, 'let q = "\n§";\n', 'let r = r#"\n§"#;\n', "/// §"],
    "java": [BLOCK, LINES, 'String q = """\n§""";\n'],
    "kotlin": ["/* /* x */\n§*/\n", LINES, 'val q = """\n§"""\n'],
    "c": [BLOCK, LINES, 'auto q = R"x(\n§)x";\n', "// c \\\n§"],
    "csharp": [BLOCK, LINES, 'var q = @"\n§";\n', 'var r = """\n§""";\n', 'var s = $@"\n§";\n'],
    "ruby": [
        "=begin\n§=end\n",
        "# §",
        "q = <<~EOT\n§EOT\n",
        'r = "\n§"\n',
        "s = '\n§'\n",
        "t = %q(\n§)\n",
        "u = <<-eot\n§  eot\n",
        "f(<<~A, <<~'b')\nx\nA\n§b\n",
        "v = [$', `it's`, s.split(/'/), (s.sub /'/, w)]\nx = '\n§'\n",
    ],
    "php": [
        BLOCK,
        LINES,
        "# §",
        "$q = <<<EOT\n§EOT;\n",
        "$r = '\n§';\n",
        '$s = "\n§";\n',
        "?>\n§<?php\n",
        "$t = `it's`; $u = '\n§';\n",
    ],
    "swift": ["/* /* x */\n§*/\n", LINES, 'let q = """\n§"""\n', 'let r = #"""\n§"""#\n'],
    "sql": [
        BLOCK,
        "-- §",
        "SELECT '\n§';\n",
        "SELECT $a$\n§$a$;\n",
        "SELECT 'it\\'s', 'c:\\', '\n§';\n",
        "SELECT E'\\'', '\n§';\n",
    ],
    "shell": [
        "# §",
        "cat <<EOT\n§EOT\n",
        "cat <<'EOT'\n§EOT\n",
        "q='\n§'\n",
        'r="\n§"\n',
        "cat <<A - <<-B\nx\nA\n§\tB\n",
        "s=$'it\\'s' t=$((1 << n)) u='\n§'\n",
    ],
    "markdown": ["```\n§```\n", "~~~sh\n§~~~\n", "<!--\n§-->\n", "```\n```sh\n§````  \n"],
}
OPENERS = [
    "/*",
    "*/",
    '"',
    "'",
    '"""',
    "'''",
    "`",
    "${",
    "}",
    "{",
    "(",
    ")",
    "//",
    "#",
    "<<EOT",
    "<<~A",
    "\\",
    "\n",
    'r#"',
    '@"',
]
OPENERS += [
    'R"x(',
    "$$",
    "<!--",
    "```",
    "<?php",
    "?>",
    "=begin",
    "__END__",
    "---",
    "%q(",
    "/",
    "[",
    "((",
    "$'",
    "def ",
    "class ",
    "fn x",
    "func ",
    "create table ",
    " ",
]
PREFIXES = ["(", "a", "a b ", "public static ", "a.", "a<", "[", "@x ", "template<", "\t", "x\n"]
languages = st.sampled_from(sorted(BY_LANGUAGE))


def line_wrapped(wrapping: str, text: str) -> str:
    """Comments to the end of a line take one line of the text at a time."""
    if wrapping.endswith("§"):
        return "".join(wrapping.replace("§", line) + "\n" for line in text.splitlines()[:1])
    return wrapping.replace("§", text)


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """A language, a text of declarations and data in any order, and the names that are really declared."""
    language = draw(languages)
    pieces = ["<?php\n"] if language == "php" else []
    names = []
    for number in range(draw(st.integers(1, 8))):
        if draw(st.booleans()):
            names.append(f"real{number}")
            pieces.append(DECLARED[language].replace("NAME", names[-1]))
        else:
            hidden = DECLARED[language].replace("NAME", f"fake{number}")
            pieces.append(line_wrapped(draw(st.sampled_from(DATA[language])), hidden))
    return language, "".join(pieces), names


@given(programs())
@settings(max_examples=400, deadline=None)
def test_what_is_declared_is_found_and_nothing_else(program: tuple[str, str, list[str]]) -> None:
    language, text, names = program
    found = symbols(text, BY_LANGUAGE[language])
    assert found is not None
    assert [symbol.name for symbol in found if symbol.name.startswith(("real", "fake"))] == names


# What makes the rest of a file data, or its beginning.
@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("ruby", "", "__END__\n§"),
        ("php", "<?php\n", "__halt_compiler();\n§"),
        ("markdown", "---\ntitle: x\n§---\n", ""),
    ],
)
def test_what_stands_before_or_behind_all_code_declares_nothing(language: str, before: str, after: str) -> None:
    real, fake = (DECLARED[language].replace("NAME", name) for name in ("real", "fake"))
    text = "".join((before.replace("§", fake), real, after.replace("§", fake)))
    assert [symbol.name for symbol in symbols(text, BY_LANGUAGE[language]) or ()] == ["real"]


@given(languages, st.lists(st.one_of(st.sampled_from(OPENERS), st.text(max_size=12)), max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_is_survived(language: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    grammar = BY_LANGUAGE[language]
    found = symbols(text, grammar)
    lines = text.count("\n") + 1
    for symbol in found or ():
        assert 1 <= symbol.start <= symbol.end <= lines
        assert symbol.name in text
        assert symbol.qualified.endswith(symbol.name)
    details(text, found or [], grammar)


@given(languages, st.lists(st.sampled_from(OPENERS), max_size=40))
@settings(max_examples=300, deadline=None)
def test_jumping_between_marks_finds_what_a_full_scan_finds(language: str, pieces: list[str]) -> None:
    _jumps_as_scanned(BY_LANGUAGE[language], "\n" + "".join(pieces))


@pytest.mark.parametrize("language", sorted(BY_LANGUAGE))
def test_an_escaped_end_of_line_after_any_opener_is_jumped_to(language: str) -> None:
    for first, second in product([*OPENERS, *PREFIXES], OPENERS):
        _jumps_as_scanned(BY_LANGUAGE[language], f"\n{first}\\\n{second}\\\n")


def _jumps_as_scanned(grammar: Grammar, text: str) -> None:
    full = all_spans(text, grammar)
    jumped = multiline_spans(text, grammar)
    if full and full[-1][1] < 0:
        assert jumped is None or "\n" not in text[full[-1][0] :]
    else:
        assert jumped == [span for span in full if "\n" in text[slice(*span)]]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("language", sorted(BY_LANGUAGE))
def test_repeated_openers_end_in_linear_time(language: str) -> None:
    grammar = BY_LANGUAGE[language]
    for opener in [*OPENERS, *PREFIXES]:
        text = opener * (60_000 // len(opener))
        symbols(text, grammar)
        symbols(text.replace("\n", "") + "\n" + re.sub(r"\s", "", text), grammar)
