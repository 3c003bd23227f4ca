"""What drafting and copying won in a run, booked round by round."""

from __future__ import annotations

import pytest

from respec_core.engine.earnings import FIRST_CREDIT, Earnings, Spending, left_out
from respec_core.engine.patience import SLACK
from respec_core.engine.prices import STALL
from respec_core.engine.tree import DraftTree

PLAIN = 10.0


def drafted(earnings: Earnings, ms: float, brought: float, source: str = "model") -> None:
    """A round whose one node took ``ms`` of drafting; verifying it costs nothing more."""
    tree = DraftTree.chain(1, [2], source)
    earnings.observe(tree, [1.0, brought], Spending({"draft": ms, "verify": PLAIN}, PLAIN, PLAIN), [2], ())


def test_first_drafts_may_lose_their_credit_and_the_slack():
    earnings, lost = Earnings(), 0.0
    while not earnings.resting:
        drafted(earnings, PLAIN / 2, 0.0)
        lost += 0.5
    assert FIRST_CREDIT + SLACK - 0.5 <= lost <= FIRST_CREDIT + SLACK + 1
    assert earnings.resting == {"drafting"}


def test_what_pays_is_asked_through_a_stall_of_the_machine():
    earnings = Earnings()
    for _ in range(5):
        drafted(earnings, PLAIN / 4, 0.5)
    drafted(earnings, 100 * PLAIN, 0.5)
    assert not earnings.resting


@pytest.mark.parametrize("ms", [PLAIN, 2 * STALL * PLAIN])
def test_a_drafter_that_is_always_slow_rests(ms):
    earnings = Earnings()
    for _ in range(4):
        drafted(earnings, ms, 0.2)
    assert "drafting" in earnings.resting


def test_copies_have_an_account_of_their_own():
    earnings = Earnings()
    tree = DraftTree.chain(1, [2, 3, 4], "dynamic")
    while not earnings.resting:
        earnings.observe(tree, [1.0, 0, 0, 0], Spending({"retrieve": 0.1, "verify": 14.0}, 14.0, PLAIN), [9], ())
    assert earnings.resting == {"copying"}
    assert left_out(earnings.resting, frozenset({"dynamic"}))
    assert not left_out(earnings.resting, frozenset({"dynamic", "model"}))
