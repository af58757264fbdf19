"""Runs an object detector of transformers; pictures of one size share a batch."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from documents.layout.batch_runner import BatchRunner, RunnerConfig
from documents.layout.errors import LayoutCheckpointError

Inputs = Mapping[str, torch.Tensor]  # one picture's, as an image processor makes them: (1, ...)
Outputs = Mapping[str, torch.Tensor]  # one picture's: (1, queries, ...)
OUTPUTS = ("logits", "pred_boxes", "order_logits", "relative_order_logits", "successor_order_logits")


class ObjectRunner(BatchRunner[Inputs, Outputs]):
    """Owns the network. In half precision only the layers are rounded (autocast): weights and boxes stay in float32."""

    def __init__(self, network: torch.nn.Module, config: RunnerConfig) -> None:
        if config.acceleration != "none":
            raise LayoutCheckpointError(
                f"layout.acceleration: {config.acceleration} is for DocLayout-YOLO; set none with this model"
            )
        super().__init__(config)
        self._network = network.to(self.device)

    @torch.inference_mode()
    def step(self, pictures: Sequence[Inputs]) -> Sequence[Outputs]:
        """One pass for each shape among the pictures."""
        outputs: list[Outputs] = [{}] * len(pictures)
        for places in _by_shape(pictures):
            names = pictures[places[0]].keys()
            batch = {name: torch.cat([pictures[k][name] for k in places]).to(self.device) for name in names}
            with self.exact(), self._rounded():
                output: Any = self._network(**batch)
            tensors = {name: output[name].float() for name in OUTPUTS if output.get(name) is not None}
            for row, place in enumerate(places):
                outputs[place] = {name: values[row : row + 1] for name, values in tensors.items()}
        return outputs

    def _rounded(self) -> contextlib.AbstractContextManager[Any]:
        if self.config.precision == "float32":
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, getattr(torch, self.config.precision))


def _by_shape(pictures: Sequence[Inputs]) -> list[list[int]]:
    groups: dict[tuple[Any, ...], list[int]] = {}
    for place, inputs in enumerate(pictures):
        groups.setdefault(tuple((name, values.shape) for name, values in inputs.items()), []).append(place)
    return list(groups.values())
