"""How soon an aborted request is gone."""

from benchmarks.cancel import LEAVE, measured


def test_an_aborted_request_is_free_within_a_step(runner):
    """A client that is gone must not be generated for."""
    figures, rows = measured(runner, after=(1, 3))
    assert figures["max_steps_to_free"] <= 1
    assert figures["blocks_left"] == 0
    assert len(rows) == 2 * len(LEAVE)
