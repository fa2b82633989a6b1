"""Whatever a settings file holds, settings come of it; whatever a project says, nothing more may leave."""

from collections.abc import Mapping
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from backstory.config import checks, ds4, keys, tighten
from backstory.config.keys import Path
from backstory.errors import InvalidConfigError
from backstory.privacy.policy import destination
from backstory.records.config import Config
from backstory.records.privacy import LEVELS, Policy

OTHERS = {"models", "remote", "*", "a/b", "prices", "nonsense"}
NAMES = sorted(OTHERS.union(name for path, _ in keys.leaves() for name in path))
PROVIDERS = ["a", "B ", "c", "ollama"]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(LEVELS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=20,
)


def sound(policy: Policy) -> bool:
    try:
        checks.privacy(policy)
    except InvalidConfigError:
        return False
    return True


levels = st.lists(st.sampled_from(LEVELS[:3]), unique=True, max_size=3).map(tuple)
providers = st.lists(st.sampled_from(PROVIDERS), unique=True, max_size=4).map(tuple)
policies = st.builds(
    Policy,
    enabled=st.booleans(),
    default=st.sampled_from(LEVELS),
    local=providers,
    remote_default=levels,
    remote=st.dictionaries(st.sampled_from(PROVIDERS), levels, max_size=3),
    redact_secrets=st.booleans(),
).filter(sound)


def said(policy: Policy, fields: set[str]) -> dict[Path, Any]:
    """What a file that holds some fields of a policy says."""
    return {path: value for path, value in keys.leaves(policy, ("privacy",)) if path[1] in fields}


@given(st.dictionaries(st.sampled_from(NAMES), values, max_size=6), st.booleans())
def test_any_tables_make_settings(given_: Mapping[str, Any], as_text: object) -> None:
    found, faults = keys.read(given_, text=bool(as_text))
    config = keys.build(found)
    assert isinstance(config, Config)
    assert all(fault.reason for fault in faults)
    checks.config(config)


@given(st.dictionaries(st.text(max_size=6) | st.sampled_from(["context", "privacy", "modelAwareness"]), values))
def test_any_file_of_the_other_engine_can_be_read(given_: Mapping[str, Any]) -> None:
    tables, _, _ = ds4.read(given_)
    keys.build(keys.read(tables)[0])


@given(policies, policies, st.sets(st.sampled_from(Policy.__struct_fields__)))
def test_a_project_never_lets_anything_out_that_a_person_holds_back(
    own: Policy, project: Policy, fields: set[str]
) -> None:
    found = tighten.tightened(own, said(project, fields))
    assert sound(found)
    assert found.enabled >= own.enabled
    assert found.redact_secrets >= own.redact_secrets
    assert LEVELS.index(found.default) >= LEVELS.index(own.default)
    for name in (*PROVIDERS, "another"):
        before, after = destination(own, name), destination(found, name)
        assert after.allowed <= before.allowed
        assert after.local <= before.local
        rules = [levels_ for one, levels_ in project.remote.items() if same(one, name)] if "remote" in fields else []
        assert all(after.allowed <= frozenset(rule) for rule in rules)


@given(policies, policies)
def test_tightening_twice_changes_nothing(own: Policy, project: Policy) -> None:
    fields = set(Policy.__struct_fields__)
    once = tighten.tightened(own, said(project, fields))
    assert msgspec.json.encode(tighten.tightened(once, said(project, fields))) == msgspec.json.encode(once)


def same(one: str, other: str) -> bool:
    return checks.provider(one) == checks.provider(other)
