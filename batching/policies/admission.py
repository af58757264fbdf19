"""Decides how many sequences and prompt tokens may join the running batch: continuous, static or none (`mode`)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import islice

from batching.engine_config import EngineConfig
from batching.sequence import Sequence

MIN_STEADY_PREFILL_TOKENS = 16


class Admission:
    """The policy of one engine; blocks and places are counted by whoever asks it."""

    def __init__(self, config: EngineConfig) -> None:
        self._mode = config.mode
        self._max_running = config.max_running
        self._steady_decoding = config.steady_decoding

    def num_to_admit(self, num_running: int, waiting: Iterable[Sequence]) -> int:
        """How many sequences may join now; a static batch begins when all that it could hold are ready."""
        if self._mode == "continuous":
            return sys.maxsize
        if num_running or not all(seq.admissible for seq in islice(waiting, self._max_running)):
            return 0
        return 1 if self._mode == "none" else sys.maxsize

    def num_prompt_tokens(self, budget: int, num_decodes: int, num_running: int) -> int:
        """Tokens of prompts in a step: all that `budget` leaves, unless those that decode would wait for them.

        With `steady_decoding`, as long as at least half of what runs decodes, a step has `MIN_STEADY_PREFILL_TOKENS` of
        prompts, or as many as decodes: on a CPU it lasts about twice as long for them. Where more wait for their
        prompts than decode, a large step serves most.
        """
        if not self._steady_decoding or not num_decodes or 2 * num_decodes < num_running:
            return budget
        return min(budget, max(MIN_STEADY_PREFILL_TOKENS, num_decodes))
