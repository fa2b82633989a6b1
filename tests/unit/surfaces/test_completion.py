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


@pytest.mark.parametrize(
    "words",
    [
        ("search", "--limit", ""),
        ("search", "--limit", "--"),
        ("search", "--limit", "=", ""),
        ("search", ""),
        ("plan", "diff", ""),
        ("sessions", "--project", "--"),
    ],
)
def test_bash_leaves_values_and_words_to_file_names(words: tuple[str, ...]) -> None:
    assert offered("backstory", *words) == []


def test_bash_knows_of_which_command_a_flag_takes_a_value() -> None:
    assert "--json" in offered("backstory", "pi", "install", "--project", "--")
    assert "--limit" in offered("backstory", "search", "--exact", "--")


def test_bash_completes_completion_itself() -> None:
    assert offered("backstory", "compl") == ["completion"]
    assert offered("backstory", "completion", "") == list(SHELLS)


def test_fish_knows_which_flags_take_a_value() -> None:
    lines = script("fish").splitlines()
    [limit] = [line for line in lines if '-- search (commandline -opc)[2]"' in line and "-l limit" in line]
    [exact] = [line for line in lines if '-- search (commandline -opc)[2]"' in line and "-l exact" in line]
    assert (limit.endswith(" -r"), exact.endswith(" -r")) == (True, False)


def test_bash_leaves_unknown_commands_to_file_names() -> None:
    assert offered("backstory", "nonsense", "") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_flag_is_in_the_script(shell: str) -> None:
    text = script(shell)
    for operation in operations.OPERATIONS:
        assert set(operation.name.split()) <= set(text.replace('"', " ").replace(";", " ").split())
        for flag in following()[operation.name].flags:
            assert (f" -l {flag[2:]}" if shell == "fish" else flag) in text


def test_another_shell_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="bash"):
        script("tcsh")
