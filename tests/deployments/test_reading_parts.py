"""`deployments.ocr.recognized_lines`: what the parts of a reading add up to, without an engine."""

import dataclasses
import math
from typing import Any

from batching import Completion, FinishReason, Timings
from deployments.ocr.recognized_lines import mean_probability, shown


def test_the_mean_probability_is_weighted_by_tokens() -> None:
    """Guards against one short sure line that hides a long unsure one."""

    class Part:
        def __init__(self, count: int, mean: float) -> None:
            self.token_ids, self.mean_logprob = [0] * count, mean

    parts: Any = [Part(1, 0.0), Part(9, -1.0)]
    assert mean_probability(parts) == round(math.exp(-0.9), 3), "the last bits depend on who shares a step"
    assert mean_probability([]) is None


def test_a_reader_that_runs_away_is_cut_and_says_so() -> None:
    """Guards against a page of the same words."""
    stopped = Completion(
        text="and so on " * 9,
        token_ids=[1] * 90,
        finish_reason=FinishReason.LENGTH,
        timings=Timings(queued_s=None, first_token_s=None, total_s=1.0),
        mean_logprob=-0.1,
    )
    ended = dataclasses.replace(stopped, finish_reason=FinishReason.STOP)
    assert shown(stopped) == "and so on"
    assert shown(ended) == stopped.text.strip()
