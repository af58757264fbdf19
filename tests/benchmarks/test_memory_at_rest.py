"""`benchmarks.memory_at_rest`: when its exit code is that of a failure."""

from __future__ import annotations

import pytest

from benchmarks.memory_at_rest import exit_code

WITHIN = {"laptop_ready_pss_mb": 2000.0, "laptop_after_documents_pss_mb": 2300.0}


@pytest.mark.parametrize(
    ("figures", "code"),
    [
        (WITHIN, 0),
        (WITHIN | {"laptop_after_documents_pss_mb": 2401.0}, 1),
        ({"default_ready_pss_mb": 4000.0, "default_after_documents_pss_mb": 4200.0}, 0),
        ({}, 1),
        (WITHIN | {"laptop_after_documents_pss_mb": 0.0}, 1),
        ({"laptop_start_s": 60.0}, 1),
    ],
    ids=["within", "above", "the laptop was not measured", "nothing", "no process could be looked at", "no memory"],
)
def test_no_figure_is_a_failure_as_too_much_is(figures: dict[str, float], code: int) -> None:
    """Guards against 0 for a run that could look at nothing."""
    assert exit_code(figures) == code
