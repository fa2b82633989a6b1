"""What a file needs, by its stamps alone."""

import pytest

from backstory.index.checkpoint import Step, decide
from backstory.records.checkpoint import Checkpoint, Stamp

WHOLE = Checkpoint(Stamp(100, 1, 7), offset=100, position=100)
TAILED = Checkpoint(Stamp(100, 1, 7), offset=80, position=80)
STOPPED = Checkpoint(Stamp(40, 1, 7), offset=40, position=40)


@pytest.mark.parametrize(
    ("checkpoint", "now", "step"),
    [
        (WHOLE, Stamp(100, 1, 7), Step.NOTHING),
        (WHOLE, Stamp(120, 2, 7), Step.APPEND),
        (WHOLE, Stamp(120, 1, 7), Step.APPEND),
        (WHOLE, Stamp(100, 2, 7), Step.RECONCILE),
        (WHOLE, Stamp(90, 2, 7), Step.RECONCILE),
        (WHOLE, Stamp(0, 2, 7), Step.RECONCILE),
        (WHOLE, Stamp(100, 1, 8), Step.RECONCILE),
        (WHOLE, Stamp(120, 2, 8), Step.RECONCILE),
        (TAILED, Stamp(100, 1, 7), Step.NOTHING),
        (TAILED, Stamp(101, 2, 7), Step.APPEND),
        (TAILED, Stamp(90, 2, 7), Step.RECONCILE),
        (TAILED, Stamp(100, 2, 7), Step.RECONCILE),
        (TAILED, Stamp(80, 2, 7), Step.RECONCILE),
        (TAILED, Stamp(70, 2, 7), Step.RECONCILE),
        (STOPPED, Stamp(100, 1, 7), Step.APPEND),
    ],
)
def test_a_known_file(checkpoint: Checkpoint, now: Stamp, step: Step) -> None:
    assert decide(checkpoint.stamp, now, same_rules=True, document=False) == step


def test_documents_are_never_appended_to() -> None:
    assert decide(WHOLE.stamp, Stamp(120, 2, 7), same_rules=True, document=True) == Step.RECONCILE
    assert decide(WHOLE.stamp, WHOLE.stamp, same_rules=True, document=True) == Step.NOTHING


@pytest.mark.parametrize("now", [Stamp(100, 1, 7), Stamp(120, 2, 7), Stamp(1, 1, 1)])
def test_other_rules_always_extract_again(now: Stamp) -> None:
    assert decide(WHOLE.stamp, now, same_rules=False, document=False) == Step.EXTRACT
