"""Runs a layout network on batches of pictures; if a batch fails, each picture is tried alone.

On a CPU every picture has a pass of its own, as many at once as there are threads: that is as fast as a pass of many,
and a picture's result is the same bits in any batch. On a GPU a batch is one pass.
"""

from __future__ import annotations

import contextlib
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import torch

from documents.layout.errors import LayoutCheckpointError

logger = logging.getLogger(__name__)

Precision = Literal["float32", "bfloat16", "float16"]
Acceleration = Literal["none", "compile", "cuda_graph"]
MAX_THREADS = 8

Picture = TypeVar("Picture")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerConfig:
    """Where and how the network runs."""

    device: str = "cpu"
    precision: Precision = "float32"
    acceleration: Acceleration = "none"
    num_threads: int | None = None  # pictures at once on a CPU; None: the cores of this process, MAX_THREADS at most


class BatchRunner(ABC, Generic[Picture, Result]):
    """Owns the threads of a network; `rows` may be called from one thread at a time."""

    def __init__(self, config: RunnerConfig) -> None:
        self.config = config
        self.device = torch.device(config.device)
        if config.acceleration == "cuda_graph" and self.device.type != "cuda":
            raise LayoutCheckpointError(f"layout.acceleration: cuda_graph needs a GPU, the device is {config.device}")
        self._threads: ThreadPoolExecutor | None = None
        if self.device.type == "cpu":
            count = config.num_threads or min(MAX_THREADS, len(os.sched_getaffinity(0)))
            self._threads = ThreadPoolExecutor(count, thread_name_prefix="layout-page")

    @abstractmethod
    def step(self, pictures: Sequence[Picture]) -> Sequence[Result]:
        """One pass; called in several threads at once on a CPU."""

    def first_pass(self, picture: Picture) -> Result:
        """The first pass of all is the slow one, and one that fails would fail for every page.

        Raises LayoutCheckpointError: the network does not run here.
        """
        try:
            if self._threads is not None:
                return self._threads.submit(self.step, [picture]).result()[0]
            return self.step([picture])[0]
        except RuntimeError as error:
            raise LayoutCheckpointError(f"the layout network does not run on this machine: {error}") from error

    def rows(self, pictures: Sequence[Picture]) -> list[Result | None]:
        """The result of each picture, on the device; None: its pass failed."""
        if self._threads is not None:
            return list(self._threads.map(self._alone, pictures))
        try:
            return list(self.step(pictures))
        except RuntimeError:  # of any kind, out of memory among them: no picture may take its batch mates along
            logger.exception("a layout pass of %d pages failed", len(pictures))
        torch.cuda.empty_cache()  # out of the handler, whose traceback held the failed pass's tensors
        return [None] if len(pictures) == 1 else [self._alone(picture) for picture in pictures]

    def _alone(self, picture: Picture) -> Result | None:
        try:
            return self.step([picture])[0]
        except RuntimeError:
            logger.exception("a layout pass of one page failed")
            return None

    def exact(self) -> contextlib.AbstractContextManager[None]:
        """Around a pass in float32: convolutions without TF32, whose ten bits would move boxes by pixels."""
        if self.device.type != "cuda" or self.config.precision != "float32":
            return contextlib.nullcontext()
        return torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=False, allow_tf32=False)
