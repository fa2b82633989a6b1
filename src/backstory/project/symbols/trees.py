"""Declarations from real syntax trees, where layout says less than grammar does; the optional extra `code`.

Parsing takes some milliseconds a file, so only files that are about to be shown come here, never a whole project. A
grammar that is not installed, or a tree with errors at its top, means None: the line-anchored tier answers instead.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from backstory.records.project import Symbol

C_KINDS = {
    "function_definition": "function",
    "struct_specifier": "struct",
    "union_specifier": "struct",
    "enum_specifier": "enum",
    "class_specifier": "class",
    "namespace_definition": "namespace",
    "type_definition": "type",
    "alias_declaration": "type",
    "preproc_def": "macro",
    "preproc_function_def": "macro",
}
CLASS_KINDS = {
    "class_declaration": "class",
    "class": "class",
    "abstract_class_declaration": "class",
    "interface_declaration": "interface",
    "annotation_type_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
    "struct_declaration": "struct",
    "namespace_declaration": "namespace",
    "file_scoped_namespace_declaration": "namespace",
    "internal_module": "namespace",
    "method_declaration": "method",
    "method_definition": "method",
    "constructor_declaration": "method",
    "property_declaration": "property",
    "delegate_declaration": "type",
    "type_alias_declaration": "type",
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "local_function_statement": "function",
}
# Suffix: module of the grammar, its function, kinds by node type.
GRAMMARS: dict[str, tuple[str, str, dict[str, str]]] = {
    **dict.fromkeys((".c", ".h"), ("tree_sitter_c", "language", C_KINDS)),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"), ("tree_sitter_cpp", "language", C_KINDS)),
    ".cs": ("tree_sitter_c_sharp", "language", CLASS_KINDS),
    ".java": ("tree_sitter_java", "language", CLASS_KINDS),
    **dict.fromkeys((".ts", ".mts", ".cts"), ("tree_sitter_typescript", "language_typescript", CLASS_KINDS)),
    **dict.fromkeys((".tsx", ".jsx", ".js", ".mjs", ".cjs"), ("tree_sitter_typescript", "language_tsx", CLASS_KINDS)),
}
# What may hold a function under a name of its own.
HOLDING = frozenset({"variable_declarator", "public_field_definition", "assignment_expression"})
WITH_BODY = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "class_specifier"})
NAMES = frozenset({"identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name"})
CONTAINERS = frozenset({"class", "interface", "struct", "enum", "record"})
MOST_SYMBOLS = 1000
DEEPEST = 200


@cache
def load_parser(module: str, function: str) -> Any:
    """A parser for one grammar; None when the library or the grammar is missing or does not fit."""
    try:
        library = import_module("tree_sitter")
        language = library.Language(getattr(import_module(module), function)())
        return library.Parser(language)
    except (ImportError, AttributeError, ValueError):
        return None


def outline(path: str, text: str) -> list[Symbol] | None:
    """The declarations of a file in order; None when no grammar for it is installed or it does not parse."""
    entry = GRAMMARS.get(PurePosixPath(path).suffix.lower())
    parser = load_parser(entry[0], entry[1]) if entry else None
    if entry is None or parser is None:
        return None
    data = text.encode("utf-8", "replace")
    tree = parser.parse(data)
    if tree.root_node.type == "ERROR":
        return None
    found: list[Symbol] = []
    stack: list[tuple[Any, str | None, str | None, int]] = [(tree.root_node, None, None, 0)]
    while stack and len(found) < MOST_SYMBOLS:
        node, parent, container, depth = stack.pop()
        symbol = _symbol(node, entry[2], data, parent, container)
        if symbol is not None:
            found.append(symbol)
            parent, container = symbol.qualified, symbol.kind
        if depth < DEEPEST:
            stack.extend((child, parent, container, depth + 1) for child in reversed(node.named_children))
    return found


def _symbol(node: Any, kinds: dict[str, str], data: bytes, parent: str | None, container: str | None) -> Symbol | None:
    kind = _kind(node, kinds)
    if kind is None or (node.type in WITH_BODY and node.child_by_field_name("body") is None):
        return None
    names = list(_names(node, data)) if node.type != "assignment_expression" else _assigned(node, data)
    if node.type == "class" and node.parent is not None and node.parent.type == "export_statement":
        names = names or ["default"]
    if not names:
        return None
    *owners, name = names
    parent = ".".join([*([parent] if parent else []), *owners]) or None
    if kind == "function" and (owners or container in CONTAINERS):
        kind = "method"
    qualified = f"{parent}.{name}" if parent else name
    return Symbol(name, qualified, kind, node.start_point[0] + 1, node.end_point[0] + 1, "", parent)


def _kind(node: Any, kinds: dict[str, str]) -> str | None:
    """What a node declares: a name for a structure or a function is one of these, not a type or a variable."""
    if node.type == "type_definition":
        named = node.child_by_field_name("type")
        if named is not None and named.type in WITH_BODY and named.child_by_field_name("body") is not None:
            return kinds.get(named.type)
    return "function" if node.type in HOLDING and _is_function(node) else kinds.get(node.type)


def _assigned(node: Any, data: bytes) -> list[str]:
    """The owner, if any, and the name of a function that is exported or put into a class or its prototype."""
    first, *rest = _text(node.child_by_field_name("left"), data).split(".")
    exported = first == "exports" or [first, *rest[:1]] == ["module", "exports"]
    names = rest[1 if first == "module" else 0 :] if exported else [first, *(one for one in rest if one != "prototype")]
    if len(names) == (1 if exported else 2) and (exported or "prototype" in rest or first[:1].isupper()):
        return names
    return []


def _is_function(node: Any) -> bool:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    return value is not None and value.type in {"arrow_function", "function_expression", "function"}


def _names(node: Any, data: bytes) -> Iterator[str]:
    """The owners in a qualified name, then the name itself; through any nest of declarators."""
    target = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    for _ in range(DEEPEST):
        if target is None:
            return
        if target.type == "qualified_identifier":
            scope = target.child_by_field_name("scope")
            if scope is not None:
                named = scope.child_by_field_name("name") or scope
                yield _text(named, data)
            target = target.child_by_field_name("name")
            continue
        inner = target.child_by_field_name("declarator")
        if inner is None:
            break
        target = inner
    if target is not None and (target.type in NAMES or target.child_count == 0 or node.child_by_field_name("name")):
        yield _text(target, data)


def _text(node: Any, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")
