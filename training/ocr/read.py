"""A checkpoint read by the engine, as the server reads: greedily, sixteen strips at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from batching import Completion, EngineConfig, Request, SamplingParams, generate
from batching.loading.models import load_got_ocr2

AT_ONCE = 16  # strips

Squares = tuple[np.ndarray, ...]  # of one line, from the left, each uint8 (256, 256, 3)


class Reads(Protocol):
    """Whatever gives each line its text."""

    def joined(self, lines: Sequence[Squares]) -> list[str]: ...


class Reader:
    """A loaded checkpoint, or something that reads as one does."""

    def __init__(self, folder: Path) -> None:
        self._runner = load_got_ocr2(folder)

    def texts(self, squares: Sequence[np.ndarray]) -> list[str]:
        """The text of each square, in order; raises what the engine met, if it failed at one."""
        return [completion.text for completion in self._read(squares)]

    def confidences(self, squares: Sequence[np.ndarray]) -> list[float]:
        """The mean probability of a token of each square, in order, as the server tells it; 0 of no text."""
        return [
            math.exp(completion.mean_logprob) if completion.text and completion.mean_logprob else 0.0
            for completion in self._read(squares)
        ]

    def _read(self, squares: Sequence[np.ndarray]) -> list[Completion]:
        requests = [Request(image=square, sampling=SamplingParams()) for square in squares]
        completions = generate(self._runner, requests, EngineConfig(max_running=AT_ONCE, max_waiting=len(requests) + 1))
        if broken := next((completion.error for completion in completions if completion.error), None):
            raise broken
        return completions

    def joined(self, lines: Sequence[Squares]) -> list[str]:
        """The text of each line: those of its squares, with a blank between."""
        texts = iter(self.texts(list(itertools.chain(*lines))))
        return [" ".join(itertools.islice(texts, len(squares))) for squares in lines]
