"""`benchmarks.capacity`: the model keeps the laws that it is made of."""

from __future__ import annotations

import dataclasses
import math
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.capacity import DAY, Demands, Prices, bounds, planned
from benchmarks.harness.capacity_check import saturated_pages_per_s, used_s
from benchmarks.harness.capacity_singles import commit_s, index_commit_s

pages = st.floats(1e3, 1e10)
days = st.floats(0.5, 365)


@given(pages=pages, days=days)
def test_a_plan_has_room_for_its_rate_and_not_for_twice_it(pages: float, days: float) -> None:
    """Guards against machines that are counted down, or counted twice."""
    plan, demands, prices = planned(pages, days), Demands(), Prices()
    assert plan.pages_per_s * days * DAY == pytest.approx(pages)
    for count, demand in ((plan.cores, demands.cpu_beside_gpu_s), (plan.gpus, demands.gpu_s)):
        busy = plan.pages_per_s * demand / count
        assert busy <= prices.used * (1 + 1e-9)
        assert count == 1 or busy > prices.used / 2


@given(pages=pages)
def test_cost_grows_in_line_with_work(pages: float) -> None:
    """Guards against a model in which ten times the pages cost more than ten times the money, whole machines apart."""
    one, ten = planned(pages, 30), planned(10 * pages, 30)
    assert ten.compute_dollars <= 10 * one.compute_dollars * (1 + 1e-9)
    assert ten.storage_gb == pytest.approx(10 * one.storage_gb)


def test_what_there_is_one_of_binds_at_its_figure_and_not_below() -> None:
    """Guards against a plan for a billion pages that passes over the one owner of the jobs."""
    for bound in bounds(Demands()):
        if bound.kind == "one":
            below, above = (planned(share * Prices().used * bound.pages_per_s * DAY, 1) for share in (0.99, 1.01))
            assert bound.name not in below.binds
            assert bound.name in above.binds
            assert bound.then
    assert planned(1e6, 1).binds == ()
    assert planned(1e9, 30).binds != ()


@given(scale=st.floats(0.1, 10))
def test_a_slower_page_is_a_lower_rate_in_proportion(scale: float) -> None:
    """The utilisation law: guards against an intercept."""
    demands = dataclasses.replace(Demands(), cpu_s=Demands().cpu_s * scale)
    before, after = (
        next(bound.pages_per_s for bound in bounds(of, on_gpus=False) if bound.name == "processor core")
        for of in (Demands(), demands)
    )
    assert after * scale == pytest.approx(before)
    assert saturated_pages_per_s(2, 0.2, 0.5 * scale) * scale == pytest.approx(3.6)


def test_processor_time_is_counted_for_a_process_and_those_below_it() -> None:
    """Guards against a demand of nothing."""
    before = sum(used_s(os.getpid()).values())
    assert math.factorial(60_000) > 0
    assert sum(used_s(os.getpid()).values()) > before > 0


def test_what_there_is_one_of_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against figures that nobody can get again: the store's and the index's own calls are timed."""
    monkeypatch.setattr("benchmarks.harness.capacity_singles.NUM_PAGES", 5)
    monkeypatch.setattr("benchmarks.harness.capacity_singles.NUM_DOCUMENTS", 2)
    assert 0 < commit_s() < 5
    assert 0 < index_commit_s() < 30
