"""`benchmarks.tenants`: what is compared with what."""

from __future__ import annotations

import pytest

from benchmarks.tenants import ratios


def test_the_rates_of_several_tenants_are_judged_by_that_of_one() -> None:
    """Guards against a ratio of the wrong passes, and one slow pass that decides."""
    rates = {1: (10.0, 8.0, 1.0), 2: (6.0, 0.1, 7.0), 4: (2.0, 2.0, 2.0)}
    rows = [{"tenants": tenants, "documents_per_s": rate} for tenants, item in rates.items() for rate in item]
    figures = ratios(rows)
    assert figures["two_over_one"] == pytest.approx(6 / 8)
    assert figures["four_over_one"] == pytest.approx(2 / 8)
