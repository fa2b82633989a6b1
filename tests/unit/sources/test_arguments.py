from typing import Any

from backstory.sources import arguments


def test_lines_are_the_strings_in_order_and_nothing_else() -> None:
    given = {
        "command": "ls -la",
        "timeout": 5,
        "all": True,
        "todos": [{"content": "prune", "done": None}, ["nested"]],
        "no": "",
    }
    assert arguments.lines(given) == ["ls -la", "prune", "nested"]
    assert arguments.lines("not json {") == ["not json {"]
    assert arguments.lines(None) == []


def test_data_urls_are_images_and_not_lines() -> None:
    assert arguments.lines({"url": "data:image/png;base64,AAAA", "inner": ["data:image/png;base64,AAAA", "b"]}) == ["b"]


def test_nesting_is_followed_to_a_bounded_depth() -> None:
    assert arguments.lines({"deep": nested("bottom", 12), "other": nested("below", 13)}) == ["bottom"]
    assert arguments.lines(nested("bottom", 500)) == []


def nested(value: Any, levels: int) -> Any:
    """A value inside so many lists and objects."""
    for level in range(levels):
        value = {"in": value} if level % 2 else [value]
    return value


def test_paths_come_from_path_like_keys_and_patch_headers() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n+x\n*** Move to: src/b.py\n*** Add File: c.md\n*** End Patch"
    assert arguments.paths({"file_path": "/a/b.py", "pattern": "x", "path": "src", "notebook_path": "n.ipynb"}) == [
        "/a/b.py",
        "src",
        "n.ipynb",
    ]
    assert arguments.paths({"input": patch}) == ["src/a.py", "src/b.py", "c.md"]
    assert arguments.paths(patch) == ["src/a.py", "src/b.py", "c.md"]
    assert arguments.paths({"path": "a\nb", "file_path": "", "filePath": "x" * 1025}) == []
    assert arguments.paths({"filePath": "x" * 1024, "path": "y"}) == ["x" * 1024, "y"]
    assert arguments.paths("*** Update File: " + "x" * 1025) == ["x" * 1024]
    assert arguments.paths([1]) == []


def test_size_counts_characters_of_the_json() -> None:
    assert arguments.size({"a": "é"}) == len('{"a":"é"}')
    assert arguments.size("text") == 4
