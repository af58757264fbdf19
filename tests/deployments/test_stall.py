"""`deployments.stall`: a stuck engine is told from an idle one and from a slow one."""

from __future__ import annotations

from deployments.stall import Stall


def test_work_that_stands_still_is_stuck() -> None:
    """Guards against a replica that hangs in a step for ever and keeps its requests."""
    stall = Stall(60)
    assert [stall.stands(now, 5, busy=True) for now in (0, 30, 60, 61)] == [False, False, False, True]


def test_idleness_is_not_being_stuck() -> None:
    """Guards against replicas that are replaced because nobody asks them anything."""
    stall = Stall(60)
    assert not any(stall.stands(now, 5, busy=False) for now in (0, 100, 1000))
    assert not stall.stands(1050, 5, busy=True), "the time without work does not count"


def test_slow_work_is_not_being_stuck() -> None:
    """Guards against a slow machine whose replicas never finish anything."""
    stall = Stall(60)
    assert not any(stall.stands(50.0 * count, count, busy=True) for count in range(20))
