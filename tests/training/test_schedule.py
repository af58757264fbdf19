"""When a run's rate rises and falls."""

from datetime import UTC, datetime

import pytest

from training.schedule import WARM_UP, Schedule, seconds_until

SCHEDULE = Schedule(budget_s=1000.0, fall=0.4)


def test_a_rate_rises_stays_and_falls_to_nothing_at_the_end():
    """A run whose rate never fell keeps the noise of its last steps."""
    assert SCHEDULE.rate(0, 0.0) == pytest.approx(1 / WARM_UP)
    assert SCHEDULE.rate(WARM_UP, 500.0) == 1.0
    assert SCHEDULE.rate(WARM_UP, 800.0) == pytest.approx(0.5)
    assert SCHEDULE.rate(WARM_UP, 1000.0) == SCHEDULE.rate(WARM_UP, 4000.0) == 0.0


def test_a_clock_that_shows_an_earlier_time_means_tomorrow():
    """A run into the night would end before it began."""
    now = datetime(2026, 3, 1, 23, 50, 30, tzinfo=UTC)
    assert seconds_until("23:55", now) == 270
    assert seconds_until("00:10", now) == 1170
    assert seconds_until("23:50", now) == 24 * 3600 - 30
