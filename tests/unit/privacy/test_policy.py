"""Levels, markers and floors; what local and remote destinations see; and that doubt withholds."""

import pytest
from msgspec import UNSET

from backstory.config import checks
from backstory.errors import InvalidConfigError
from backstory.privacy import classify, payload
from backstory.privacy.policy import Guard, destination, placeholder
from backstory.records.message import Image, Message, Text, ToolCall, ToolResult
from backstory.records.privacy import Policy

ON = Policy(enabled=True)


def remote(policy: Policy = ON, provider: str = "openai") -> Guard:
    return Guard(policy, destination(policy, provider))


@pytest.mark.parametrize(
    ("text", "segments", "floor"),
    [
        ("plain", [("plain", "normal")], "normal"),
        ("a [ds4:internal]b[/ds4:internal] c", [("a ", "normal"), ("b", "internal"), (" c", "normal")], "normal"),
        ("a [DS4:Sensitive]b\nc[/ds4:SENSITIVE]", [("a ", "normal"), ("b\nc", "sensitive")], "normal"),
        ("  [ds4:local-only] all of this", [("   all of this", "local-only")], "normal"),
        (
            "[ds4:\u017fensitive]a[/ds4:\u017fensitive]",
            [("[ds4:\u017fensitive]a[/ds4:\u017fensitive]", "normal")],
            "normal",
        ),
        ("[d\u017f4:internal]a[ds4:INTERNAL]b", [("[d\u017f4:internal]ab", "internal")], "internal"),
        ("[ds4:inter[ds4:normal]nal]a[/ds4:internal]", [("a", "internal")], "internal"),
        ("[ds4:loc[/ds4:normal]al-only]a", [("a", "normal")], "normal"),
        (r"\[ds4:internal] as such", [(r"\[ds4:internal] as such", "normal")], "normal"),
        ("a [ds4:internal]b", [("a b", "internal")], "internal"),
        ("a [/ds4:sensitive] b", [("a  b", "sensitive")], "sensitive"),
        ("[ds4:internal]a[/ds4:sensitive]", [("a", "sensitive")], "sensitive"),
        ("[ds4:internal]a[ds4:local-only]b[/ds4:local-only]c[/ds4:internal]", [("abc", "local-only")], "local-only"),
    ],
)
def test_reading_marked_text(text: str, segments: list[tuple[str, str]], floor: str) -> None:
    reading = classify.read(text)
    assert [(segment.text, segment.level) for segment in reading.segments] == segments
    assert reading.floor == floor


def test_a_remote_destination_sees_placeholders_and_a_local_one_sees_all() -> None:
    text = "a [ds4:sensitive]b[/ds4:sensitive] c"
    assert remote().text(text)[0] == f"a {placeholder('sensitive')} c"
    assert remote(provider=" Ollama ").text(text)[0] == "a b c"


def test_a_rule_is_an_exact_list() -> None:
    policy = Policy(enabled=True, remote={"trusted": ("sensitive",)})
    guard = remote(policy, "trusted")
    assert guard.text("[ds4:sensitive]b")[0] == "b"
    assert guard.text("plain")[0] == placeholder("normal")


def test_the_highest_of_default_explicit_and_marker_wins() -> None:
    assert remote().text("[ds4:internal]b", explicit="sensitive")[1].level == "sensitive"
    assert remote().text("[ds4:sensitive]b", explicit="internal")[1].level == "sensitive"
    assert remote(Policy(enabled=True, default="internal")).text("b")[1].level == "internal"


def test_an_explicit_level_does_not_hide_a_broken_tag() -> None:
    assert remote().admit("ok [ds4:local-only] open", "internal")[0] is None


def test_a_text_is_clean_once_it_was_checked_and_where_the_default_may_go() -> None:
    guard = remote()
    assert not guard.clean("fine")
    for text in ("fine", "[ds4:internal]fine", "password: hunter2hunter2"):
        guard.text(text)
    assert [guard.clean(text) for text in ("fine", "[ds4:internal]fine", "password: hunter2hunter2")] == [
        True,
        False,
        False,
    ]
    odd = remote(Policy(enabled=True, remote={"openai": ("sensitive",)}))
    assert odd.text("fine", explicit="sensitive")[0] == "fine"
    assert not odd.clean("fine")


def test_evidence_goes_whole_or_not_at_all() -> None:
    assert remote().admit("fine [ds4:internal]too[/ds4:internal]")[0] == "fine too"
    assert remote().admit("fine [ds4:sensitive]not[/ds4:sensitive]")[0] is None


def test_a_withheld_message_keeps_its_calls_and_results() -> None:
    guard = remote()
    call = Message(
        "assistant", (ToolCall("c1", "read", {"path": "[ds4:sensitive]x[/ds4:sensitive]"}), Image("image/png", 9))
    )
    shown, passage = guard.message(call)
    assert shown.blocks == (ToolCall("c1", "read", {"path": placeholder("sensitive")}), Image("image/png", 9))
    assert (passage.level, passage.blocked) == ("sensitive", 1)
    result, _ = guard.message(Message("tool", (ToolResult("c1", "[ds4:local-only]x"),)))
    assert result.blocks == (ToolResult("c1", placeholder("local-only")),)


def test_images_of_a_result_go_with_what_is_withheld_of_it() -> None:
    for text, images in [("fine", 1), ("password: hunter2hunter2", 1), ("a [ds4:sensitive]b[/ds4:sensitive]", UNSET)]:
        [block] = remote().message(Message("tool", (ToolResult("c1", text, images=1),)))[0].blocks
        assert isinstance(block, ToolResult)
        assert block.images == images


def test_a_tag_open_in_one_block_and_closed_in_another_raises_both() -> None:
    message = Message("user", (Text("a [ds4:sensitive]b"), Text("c[/ds4:sensitive]"), Image("image/png", 1)))
    shown, passage = remote().message(message)
    assert shown.blocks == (Text(placeholder("sensitive")),) * 3
    assert passage.blocked == 3


def test_an_unchanged_message_is_the_same_object() -> None:
    guard = remote()
    message = Message("user", (Text("hello"),))
    assert guard.message(message)[0] is message


def test_secrets_leave_only_towards_local_destinations() -> None:
    secret = "sk-" + "proj-Qm4kT9vLx2Zr7Wn5Yb1Ht8"
    assert remote().text(secret)[0] == "[redacted:openai]"
    assert remote(provider="ollama").text(secret)[0] == secret
    assert remote(Policy(enabled=True, redact_secrets=False)).text(secret)[0] == secret


def test_disabled_means_untouched() -> None:
    text = "[ds4:local-only]x"
    assert remote(Policy()).text(text)[0] is text


def test_what_cannot_be_walked_is_withheld() -> None:
    loop: dict[str, object] = {}
    loop["input"] = loop
    shown, passage = remote().message(Message("assistant", (ToolCall("c", "f", loop),)))
    assert shown.blocks == (ToolCall("c", "f", {}),)
    assert passage.level == "local-only"
    assert payload.sanitise(loop, remote())[0] == {}


def test_a_payload_keeps_its_structure() -> None:
    given = {
        "model": "gpt",
        "custom": "[ds4:sensitive]x",
        "messages": [{"role": "user", "content": "[ds4:sensitive]y", "type": "text"}, {"content": "ok", "seed": 3}],
    }
    shown, passage = payload.sanitise(given, remote())
    hidden = placeholder("sensitive")
    assert shown == {
        "model": "gpt",
        "custom": hidden,
        "messages": [{"role": "user", "content": hidden, "type": "text"}, {"content": "ok", "seed": 3}],
    }
    assert passage.blocked == 2


@pytest.mark.parametrize(
    ("policy", "tag", "kept"),
    [
        (ON, "fine", True),
        (ON, "[ds4:internal] open, and \\[ds4:sensitive]", True),
        (ON, "open [ds4:sensitive]", False),
        (Policy(enabled=True, default="sensitive"), "fine", False),
        (Policy(enabled=True, remote={"openai": ()}), "fine", False),
    ],
)
def test_bytes_in_a_payload_are_as_private_as_what_is_around_them(policy: Policy, tag: str, *, kept: bool) -> None:
    given = {"version": b"v", "content": [tag, {"data": b"CANARY", "more": bytearray(b"CANARY")}]}
    shown, _ = payload.sanitise(given, remote(policy))
    assert ("CANARY" in str(shown)) == kept
    assert shown["version"] == b"v"
    assert list(shown["content"][1]) == ["data", "more"] or not kept


@pytest.mark.parametrize(
    "policy",
    [
        Policy(default="secret"),
        Policy(remote_default=("normal", "local-only")),
        Policy(remote={"x": ("local-only",)}),
        Policy(remote={"Ollama ": ("normal",)}),
        Policy(remote={"x": ("nothing",)}),
    ],
)
def test_contradicting_rules_are_refused(policy: Policy) -> None:
    with pytest.raises(InvalidConfigError):
        checks.privacy(policy)


def test_a_rule_that_slipped_through_still_keeps_local_content_here() -> None:
    policy = Policy(enabled=True, remote={"x": ("local-only", "normal")})
    assert remote(policy, "x").admit("[ds4:local-only]y")[0] is None
