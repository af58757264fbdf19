"""Runs the layout network on a device: a batch gives rows for each square, or None for one that failed even alone.

On a CPU every square has a pass of its own, as many at once as there are threads: that is as fast as a pass of many,
and a square's rows are the same bits in any batch. On a GPU a batch is one pass; with `compile` or `cuda_graph` it is
filled up to one of a few sizes, each compiled or captured once.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from documents.layout.checkpoint import LayoutCheckpointError
from documents.layout.network import LayoutNetwork

logger = logging.getLogger(__name__)

Precision = Literal["float32", "bfloat16", "float16"]
Acceleration = Literal["none", "compile", "cuda_graph"]
MAX_THREADS = 8
Pass = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerConfig:
    """Where and how the network runs."""

    device: str = "cpu"
    precision: Precision = "float32"
    acceleration: Acceleration = "none"
    num_threads: int | None = None  # squares at once on a CPU; None: the cores of this process, MAX_THREADS at most


class NetworkRunner:
    """Owns the network and its threads; `rows` may be called from one thread at a time."""

    def __init__(self, network: LayoutNetwork, image_size: int, config: RunnerConfig) -> None:
        self.device = torch.device(config.device)
        if config.acceleration == "cuda_graph" and self.device.type != "cuda":
            raise LayoutCheckpointError(f"layout.acceleration: cuda_graph needs a GPU, the device is {config.device}")
        network = network.to(self.device)
        for part in (network.body, network.boxes, network.classes):  # places and scores stay in float32
            part.to(getattr(torch, config.precision))
        exact = self.device.type == "cuda" and config.precision == "float32"
        self._rounding = _full_float32 if exact else contextlib.nullcontext
        self._pass: Pass = torch.compile(network, dynamic=False) if config.acceleration == "compile" else network
        self._graphs: dict[int, tuple[torch.Tensor, torch.cuda.CUDAGraph, torch.Tensor]] | None = None
        if config.acceleration == "cuda_graph":
            self._graphs = {}
        self._fills_up = config.acceleration != "none"
        self._threads: ThreadPoolExecutor | None = None
        if self.device.type == "cpu":
            count = config.num_threads or min(MAX_THREADS, len(os.sched_getaffinity(0)))
            self._threads = ThreadPoolExecutor(count, thread_name_prefix="layout-page")
        try:
            self._first_pass(image_size)
        except RuntimeError as error:
            raise LayoutCheckpointError(f"the layout network does not run here: {error}") from error

    def _first_pass(self, image_size: int) -> None:
        """The first pass of all is the slow one, and one that fails would fail for every page."""
        blank = np.zeros((image_size, image_size, 3), np.uint8)
        if self._threads is not None:
            self._threads.submit(self.step, [blank]).result()
        else:
            self.step([blank])

    def rows(self, squares: Sequence[np.ndarray]) -> list[torch.Tensor | None]:
        """Rows (MAX_DETECTIONS, 6) of each square, uint8 (s, s, 3), on the device; None: its pass failed."""
        if self._threads is not None:
            return list(self._threads.map(lambda square: self._alone([square]), squares))
        try:
            return list(self.step(squares))
        except RuntimeError:  # of any kind, out of memory among them: no picture may take its batch mates along
            logger.exception("a layout pass of %d pages failed", len(squares))
        torch.cuda.empty_cache()  # out of the handler, whose traceback held the failed pass's tensors
        return [None] if len(squares) == 1 else [self._alone([square]) for square in squares]

    def _alone(self, square: Sequence[np.ndarray]) -> torch.Tensor | None:
        try:
            return self.step(square)[0]
        except RuntimeError:
            logger.exception("a layout pass of one page failed")
            return None

    @torch.inference_mode()
    def step(self, squares: Sequence[np.ndarray]) -> torch.Tensor:
        """One pass: (n, MAX_DETECTIONS, 6)."""
        count = len(squares)
        batch = torch.from_numpy(np.stack(squares))
        if self._fills_up and count & (count - 1):  # up to a power of two
            batch = torch.cat((batch, batch.new_zeros((1 << count.bit_length()) - count, *batch.shape[1:])))
        with self._rounding():
            found = self._captured(batch) if self._graphs is not None else self._pass(batch.to(self.device))
        return found[:count]

    def _captured(self, batch: torch.Tensor) -> torch.Tensor:
        """The pass as a replayed CUDA graph of this batch size."""
        assert self._graphs is not None
        if len(batch) not in self._graphs:
            self._graphs[len(batch)] = self._capture(batch.to(self.device))
        inputs, graph, outputs = self._graphs[len(batch)]
        inputs.copy_(batch)
        graph.replay()
        return outputs.clone()  # the next replay writes there

    def _capture(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.cuda.CUDAGraph, torch.Tensor]:
        side = torch.cuda.Stream(self.device)  # as CUDA wants it: the first passes aside, then the capture
        side.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(side):
            for _ in range(3):
                self._pass(inputs)
        torch.cuda.current_stream(self.device).wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = self._pass(inputs)
        return inputs, graph, outputs


def _full_float32() -> contextlib.AbstractContextManager[None]:
    """Convolutions in float32 without TF32, whose ten bits would move boxes by pixels."""
    return torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=False, allow_tf32=False)
