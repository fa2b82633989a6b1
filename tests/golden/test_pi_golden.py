"""Pi's own session manager is the oracle: for every real file, and for the rules of every Pi that read it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backstory.dialogue import active, branch
from backstory.dialogue.dialects import dialect
from backstory.records.node import Node, of
from backstory.records.session import Draft, Facts, Kind, Op
from backstory.sources.adapters.pi.source import Pi
from tests.fakes.drafts import parsed

RULES = {"SessionManager of pi 0.84.3": "pi-0.84", "SessionManager of pi 1.6.0": "pi-1.6"}


class Case(msgspec.Struct):
    name: str
    golden: dict[str, Any]
    rules: str
    facts: Facts
    drafts: list[Draft]
    nodes: list[Node]
    ids: dict[str, str]

    def named(self, positions: list[int]) -> list[str]:
        """Entry ids at these positions, in the words of the oracle."""
        return [self.ids.get(id_, id_) for id_ in (str(self.nodes[at].entry_id) for at in positions)]


@pytest.fixture(scope="session")
def cases(data: Path) -> list[Case]:
    found = [case(path, data / "pi") for path in sorted((data / "pi" / "golden").glob("*.json"))]
    assert len(found) == 36
    return found


def case(path: Path, folder: Path) -> Case:
    golden = json.loads(path.read_bytes())
    version = path.name.partition("__")[0]
    drafts, facts = read(folder / version / golden["file"])
    nodes = [of(draft, seq) for seq, draft in enumerate(drafts)]
    # Format 1 has no ids, and the oracle drew random ones while it migrated the file.
    ids = dict(zip((node.entry_id for node in nodes), golden["branch"], strict=True)) if facts.version == "1" else {}
    return Case(
        path.name, golden, RULES[golden["generatedBy"]], facts, drafts, nodes, {str(k): v for k, v in ids.items()}
    )


def read(path: Path) -> tuple[list[Draft], Facts]:
    parser = Pi().parser(str(path))
    return list(parsed(parser, path.read_bytes().split(b"\n"))), parser.facts


def leaves(case: Case) -> list[int]:
    return branch.leaves(case.nodes, shape="tree", rules=case.rules)


def drawn_from(case: Case, rules: str) -> list[int]:
    return active.select(case.nodes, branch.path(case.nodes, shape="tree", rules=rules), dialect(rules))


def test_every_entry_is_read(cases: list[Case]) -> None:
    assert {c.name: len(c.nodes) for c in cases} == {c.name: c.golden["entryCount"] for c in cases}


def test_the_active_leaf_and_branch(cases: list[Case]) -> None:
    for c in cases:
        found = c.named(branch.path(c.nodes, shape="tree", rules=c.rules))
        assert found == c.golden["branch"], c.name
        assert found[-1] == c.golden["leafId"], c.name


def test_the_leaves_are_those_that_the_agent_has(cases: list[Case]) -> None:
    for c in cases:
        assert c.named(leaves(c)) == c.golden["leaves"], c.name


def test_what_the_active_context_draws_from(cases: list[Case]) -> None:
    for c in cases:
        found = drawn_from(c, c.rules)
        assert c.named(found) == c.golden["contextEntryIds"], c.name


def test_what_the_active_context_shows(cases: list[Case]) -> None:
    """Pi's projection still holds commands a person kept from the model; they leave it only on the way out."""
    compared = 0
    for c in cases:
        if c.golden["projection"] is None:
            continue
        kept_back = {str(draft.entry_id) for draft in c.drafts if draft.kind == Kind.COMMAND and not draft.visible}
        expected = [shown["id"] for shown in c.golden["projection"] if shown["roles"] and shown["id"] not in kept_back]
        seen = active.seen(c.nodes, shape="tree", rules=c.rules)
        targets = [str(c.nodes[at].target if c.nodes[at].op == Op.EDIT else c.nodes[at].entry_id) for at in seen]
        assert [c.ids.get(id_, id_) for id_ in targets] == expected, c.name
        compared += 1
    assert compared == 28


def test_the_roles_and_the_model_at_every_leaf(cases: list[Case]) -> None:
    for c in cases:
        for leaf in leaves(c):
            (name,) = c.named([leaf])
            expected = c.golden["perLeaf"][name]
            assert roles(c, leaf) == [role for role in expected["roles"] if role != "bashExecution"], (c.name, name)
            assert model(c, leaf) == model_name(expected["model"]), (c.name, name)


def roles(c: Case, leaf: int) -> list[str]:
    names = {Kind.MEMORY: "custom", Kind.TOOL_RESULT: "toolResult", Kind.SUMMARY: "branchSummary"}
    found = []
    for at in active.seen(c.nodes, leaf, shape="tree", rules=c.rules):
        draft = c.drafts[at]
        if draft.kind == Kind.EDIT:
            draft = next(other for other in c.drafts if other.entry_id == draft.target)
        if draft.op == Op.COMPACT:
            found += ["system"] * (draft.chars > len(draft.text)) + ["compactionSummary"]
        elif draft.kind != Kind.COMMAND:
            found.append(names.get(draft.kind) or str(draft.role))
    return found


def model(c: Case, leaf: int) -> str | None:
    used = [c.drafts[at].model for at in branch.path(c.nodes, leaf, shape="tree", rules=c.rules)]
    return next((name for name in reversed(used) if name), None)


def model_name(expected: dict[str, str] | None) -> str | None:
    return f"{expected['provider']}/{expected['modelId']}" if expected else None


def test_the_model_of_the_session(cases: list[Case]) -> None:
    for c in cases:
        leaf = branch.active_leaf(c.nodes, shape="tree", rules=c.rules)
        assert leaf is not None
        assert model(c, leaf) == model_name(c.golden["model"]), c.name


def test_the_newest_label_of_an_entry_counts(cases: list[Case]) -> None:
    for c in cases:
        newest = {str(draft.target): draft.text for draft in c.drafts if draft.kind == Kind.LABEL}
        assert {target: text for target, text in newest.items() if text} == c.golden["labels"], c.name


def test_the_name_or_else_the_first_prompt_is_the_title(cases: list[Case]) -> None:
    for c in cases:
        if c.golden["name"]:
            assert c.facts.title == c.golden["name"], c.name
        else:
            first = next(draft.text for draft in c.drafts if draft.kind == Kind.PROMPT)
            assert first.startswith(str(c.facts.title).removesuffix("…")), c.name


def test_the_header(cases: list[Case]) -> None:
    for c in cases:
        assert (c.facts.id, c.facts.cwd) == (c.golden["header"]["id"], c.golden["header"]["cwd"]), c.name


def test_the_writing_version_is_told_by_what_it_wrote(cases: list[Case]) -> None:
    written = {"0.84.3": {"pi-0.84"}, "1.6.0": {"pi-1.6", "pi"}}
    for c in cases:
        assert c.facts.rules in written[c.name.partition("__")[0]], c.name


def test_the_written_version_rules_give_the_oracle_of_that_version(cases: list[Case]) -> None:
    for c in cases:
        version = c.name.partition("__")[0]
        if f"by_{version}" in c.name:
            found = drawn_from(c, c.facts.rules)
            assert c.named(found) == c.golden["contextEntryIds"], c.name
