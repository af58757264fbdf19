"""Decides which waiting sequences may join the running batch: continuous, static or no batching (`mode`)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from collections.abc import Sequence as Items
from itertools import islice

from batching.engine_config import EngineConfig
from batching.kv.block_pool import ceil_div, scratch_block
from batching.requests.sampling_params import GREEDY
from batching.sequence import Sequence
from batching.step_plan import NOBODY, PlanRow


class Admission:
    """In mode "static" a row that has ended is computed on, as an ordinary one whose KV is all in the scratch block."""

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._num_ended = 0  # sequences of the batch that runs

    def num_to_admit(self, num_running: int, waiting: Iterable[Sequence]) -> int:
        """How many sequences may join now, if blocks and places allow.

        A batch that keeps its rows is begun when all that it could hold are ready.
        """
        if not num_running:
            self._num_ended = 0
        if self._config.mode == "continuous":
            return sys.maxsize
        if num_running or not all(seq.admissible for seq in islice(waiting, self._config.max_running)):
            return 0
        return 1 if self._config.mode == "none" else sys.maxsize

    def note_end(self) -> None:
        """A sequence has ended by itself."""
        self._num_ended += 1

    def padding(self, running: Items[Sequence]) -> list[PlanRow]:
        """Rows to compute for nothing beside those of `running`, as long as the longest of them."""
        if self._config.mode != "static" or not running:
            return []
        length = max(len(seq.tokens) for seq in running)
        scratch = [scratch_block(self._config.num_blocks)] * ceil_div(length, self._config.block_size)
        row = PlanRow(NOBODY, [0] * length, length - 1, count=1, blocks=scratch, params=GREEDY, decodes=False)
        return [row] * self._num_ended
