"""Runs DocLayout-YOLO on a device.

With `compile` or `cuda_graph` a batch is filled up to one of a few sizes, each compiled or captured once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from documents.layout.batch_runner import BatchRunner, RunnerConfig
from documents.layout.doclayout.network import LayoutNetwork

Pass = Callable[[torch.Tensor], torch.Tensor]


class NetworkRunner(BatchRunner[np.ndarray, torch.Tensor]):
    """Owns the network; squares are uint8 (s, s, 3), a square's result is rows (MAX_DETECTIONS, 6)."""

    def __init__(self, network: LayoutNetwork, image_size: int, config: RunnerConfig) -> None:
        super().__init__(config)
        network = network.to(self.device)
        for part in (network.body, network.boxes, network.classes):  # places and scores stay in float32
            part.to(getattr(torch, config.precision))
        self._pass: Pass = torch.compile(network, dynamic=False) if config.acceleration == "compile" else network
        self._graphs: dict[int, tuple[torch.Tensor, torch.cuda.CUDAGraph, torch.Tensor]] | None = None
        if config.acceleration == "cuda_graph":
            self._graphs = {}
        self._fills_up = config.acceleration != "none"
        self.first_pass(np.zeros((image_size, image_size, 3), np.uint8))

    @torch.inference_mode()
    def step(self, pictures: Sequence[np.ndarray]) -> Sequence[torch.Tensor]:
        count = len(pictures)
        batch = torch.from_numpy(np.stack(pictures))
        if self._fills_up and count & (count - 1):  # up to a power of two
            batch = torch.cat((batch, batch.new_zeros((1 << count.bit_length()) - count, *batch.shape[1:])))
        with self.exact():
            rows = self._captured(batch) if self._graphs is not None else self._pass(batch.to(self.device))
        return rows[:count].unbind()

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
