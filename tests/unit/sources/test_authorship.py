import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.records.session import Kind
from backstory.sources.authorship import authored, headline, without_reminders


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("why is the sky blue?", Kind.PROMPT, "why is the sky blue?"),
        ("# Heading that a person typed", Kind.PROMPT, "# Heading that a person typed"),
        ("<div> is not a wrapper", Kind.PROMPT, "<div> is not a wrapper"),
        ("<command-name>/review</command-name>\n<command-args>the api</command-args>", Kind.COMMAND, "/review the api"),
        ("<command-message>x</command-message>\n<command-name>/x</command-name>", Kind.COMMAND, "/x"),
        ("<bash-input>git status</bash-input>", Kind.COMMAND, "git status"),
        ("<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>", Kind.COMMAND, "clean"),
        ("<local-command-stdout>bye</local-command-stdout>", Kind.COMMAND, "bye"),
        ("<task-notification>done</task-notification>", Kind.BOOT, "<task-notification>done</task-notification>"),
        ("<environment_context><cwd>/a</cwd></environment_context>", Kind.BOOT, None),
        ("# AGENTS.md instructions for /a\n\nBe kind.", Kind.BOOT, None),
        ("[Request interrupted by user for tool use]", Kind.BOOT, None),
        ("<system-reminder>eat</system-reminder>", Kind.BOOT, None),
        ("<system-reminder>eat</system-reminder>\nfix it", Kind.PROMPT, "fix it"),
        ("fix it\n<system-reminder>eat</system-reminder>", Kind.PROMPT, "fix it"),
        ("<system-reminder>eat</system-reminder><bash-input>ls</bash-input>", Kind.COMMAND, "ls"),
        ("<system-reminder>eat", Kind.BOOT, None),
        ("<system-reminder>eat</system-reminder>\n<system-reminder>a", Kind.BOOT, "<system-reminder>a"),
        ("<system-reminder>eat</system-reminder>what is <system-reminder>?", Kind.PROMPT, "what is <system-reminder>?"),
        ("<system-<system-reminder>eat</system-reminder>reminder>", Kind.PROMPT, "<system-reminder>"),
        ("Implement the following plan:\n\n# Plan", Kind.MESSAGE, "Implement the following plan:\n\n# Plan"),
    ],
)
def test_a_text_in_the_users_place_is_told_apart(text: str, kind: str, said: str | None) -> None:
    found = authored(text)
    assert found.kind == kind
    assert found.text == (text if said is None else said)


def test_a_reminder_that_never_ends_is_kept_and_costs_linear_time() -> None:
    text = "<system-reminder>" * 20_000
    assert without_reminders(text) == text
    assert authored(text) == (Kind.BOOT, text)


@given(st.text("<>/a ").map(lambda text: text.replace("<", "<system-reminder>").replace("/", "</system-reminder>")))
def test_any_nesting_of_reminders_is_told_apart(text: str) -> None:
    assert authored(text).kind in {Kind.PROMPT, Kind.BOOT}
    assert len(authored(text).text) <= len(text)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n\n  ## Fix the gate  \nmore", "Fix the gate"),
        ("Implement the following plan:\n\n# Plan: quinces", "Plan: quinces"),
        ("x" * 120, "x" * 120),
        ("x" * 121, "x" * 119 + "…"),
        ("word " * 60, "word " * 23 + "word…"),
        (" \n#\n", None),
        ("", None),
    ],
)
def test_a_headline_is_the_first_line_that_says_something(text: str, title: str | None) -> None:
    assert headline(text) == title
