"""Ignore files outside Git: our faster matching decides as `pathspec` does, and a hostile rule costs no time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from backstory.project.walk import _matcher

PIECES = ["a", "b", "*", "/", "?", "**/", "/**", "[ab]", "!", ".", "\\*", " "]
rules = st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join), min_size=1, max_size=5)
names = st.text("ab.*", min_size=1, max_size=5).filter(lambda name: name.strip(".") != "")
paths = st.lists(names, min_size=1, max_size=4)


@given(rules, paths)
@settings(max_examples=250, deadline=None)
def test_a_walk_leaves_out_what_the_reference_would(lines: list[str], parts: list[str]) -> None:
    sound = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        if line.lstrip("!").strip("/ "):
            sound.append(line)
    reference = GitIgnoreSpec.from_lines(sound)
    ours = _matcher(lines)
    for depth in range(1, len(parts) + 1):
        folder = depth < len(parts)
        path = "/".join(parts[:depth])
        expected = reference.check_file(path + "/" if folder else path).include
        assert bool(ours(path, folder)) == bool(expected)
        if expected:
            break


@pytest.mark.timeout(20)
def test_rules_full_of_stars_end() -> None:
    ignored = _matcher(["*a" * 30 + "z", "?*" * 40 + "z", "[a]*" * 30 + "!z"])
    folder = False
    assert ignored("a" * 250, folder) is None
    assert ignored("a" * 250 + "z", folder) is True
