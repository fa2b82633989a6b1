"""Completion scripts offer what the table of operations holds."""

import subprocess

import pytest

from backstory.engine import operations
from backstory.errors import UsageError
from backstory.surfaces.cli.completion import SHELLS, following, script


def offered(*words: str) -> list[str]:
    """What bash itself offers after `words`, the last of which is being typed."""
    line = (
        f'{script("bash")}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _backstory; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash", "-c", line, "bash", *words], capture_output=True, encoding="utf-8", check=True)
    return done.stdout.split()


def test_bash_completes_commands() -> None:
    assert offered("backstory", "sess") == ["sessions"]


def test_bash_completes_second_words_beside_flags() -> None:
    assert "diff" in offered("backstory", "plan", "")
    assert offered("backstory", "query", "read-s") == ["read-session", "read-surface"]


def test_bash_completes_flags_of_one_and_two_words() -> None:
    assert "--exact" in offered("backstory", "search", "--e")
    assert "--documents" in offered("backstory", "query", "list-events", "--do")


def test_bash_completes_what_can_be_asked_about_a_session() -> None:
    assert offered("backstory", "context", "re") == ["retrieved", "rebuild-index"]


def test_bash_leaves_unknown_commands_to_file_names() -> None:
    assert offered("backstory", "nonsense", "") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_flag_is_in_the_script(shell: str) -> None:
    text = script(shell)
    for operation in operations.OPERATIONS:
        assert set(operation.name.split()) <= set(text.replace('"', " ").replace(";", " ").split())
        assert set(following()[operation.name]) <= set(text.replace('"', " ").split())


def test_another_shell_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="bash"):
        script("tcsh")
