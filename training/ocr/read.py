"""A checkpoint read by the engine, as the server reads: greedily, sixteen strips at a time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from batching import EngineConfig, Request, SamplingParams, generate
from batching.models import load_got_ocr2

AT_ONCE = 16  # strips

Squares = tuple[np.ndarray, ...]  # of one line, from the left, each uint8 (256, 256, 3)


class Reader:
    """A loaded checkpoint, or something that reads as one does."""

    def __init__(self, folder: Path) -> None:
        self._runner = load_got_ocr2(folder)

    def texts(self, squares: Sequence[np.ndarray]) -> list[str]:
        """The text of each square, in order; raises what the engine met, if it failed at one."""
        requests = [Request(image=square, sampling=SamplingParams()) for square in squares]
        found = generate(self._runner, requests, EngineConfig(max_running=AT_ONCE, max_waiting=len(requests) + 1))
        if broken := next((each.error for each in found if each.error), None):
            raise broken
        return [each.text for each in found]

    def joined(self, lines: Sequence[Squares]) -> list[str]:
        """The text of each line: those of its squares, with a blank between."""
        found = iter(self.texts(list(itertools.chain(*lines))))
        return [" ".join(itertools.islice(found, len(squares))) for squares in lines]
